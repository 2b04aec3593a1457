import type { HeldRole, Records } from "../../core/index.ts";
import type { PollingWorker } from "../../shared/async/polling-worker.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Channel } from "../port/channel.ts";

/**
 * A guard before all that only the connected host may do: what people see, and what the records keep of it. A host that was
 * stopped for a while may not have the role any more when it goes on, and its timers do not ask. A host that never had the role does
 * what any host may.
 */
export class RoleGuard {
  #role: HeldRole | undefined;

  /** From now on the role is this host's. What its workers do is left as it stands when it is lost. */
  holds(role: HeldRole, workers: readonly PollingWorker[]): void {
    this.#role = role;
    const leave = (): void => {
      if (this.#role === role) for (const worker of workers) worker.leave();
    };
    role.lost.addEventListener("abort", leave, { once: true });
  }

  /** The role is given up in order: others take what is new, and what was accepted here goes on. */
  givesUp(): void {
    this.#role = undefined;
  }

  /** @throws HostError `interrupted` when another host has the role, or may soon have it */
  readonly check = (): void => {
    if (this.#role !== undefined && !this.#role.isHeld())
      throw new HostError("interrupted", "Another process of the home is connected, or soon will be.");
  };
}

/** The channel of what is said as the connected host: nothing is shown to people once the role is lost. */
export function guardedChannel(channel: Channel, { check }: RoleGuard): Channel {
  const guarded =
    <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      check();
      try {
        return await work(...given);
      } catch (thrown) {
        // What fails as a stopped process goes on is no failure to act upon.
        check();
        throw thrown;
      }
    };
  return {
    ...(channel.capabilities && { capabilities: channel.capabilities }),
    connect: channel.connect.bind(channel),
    send: guarded(channel.send.bind(channel)),
    ...(channel.edit && { edit: guarded(channel.edit.bind(channel)) }),
    ...(channel.typing && { typing: guarded(channel.typing.bind(channel)) }),
    ...(channel.find && { find: guarded(channel.find.bind(channel)) }),
    ...(channel.answerClick && { answerClick: guarded(channel.answerClick.bind(channel)) }),
    ...(channel.download && { download: channel.download.bind(channel) }),
  };
}

/** Records that are not written, nor claimed, once the role is lost. */
export function guardedRecords(records: Records, { check }: RoleGuard): Records {
  const guarded =
    <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      check();
      return await work(...given);
    };
  return {
    hostId: records.hostId,
    get: records.get.bind(records),
    list: records.list.bind(records),
    add: guarded(records.add.bind(records)),
    put: guarded(records.put.bind(records)),
    replace: guarded(records.replace.bind(records)),
    remove: guarded(records.remove.bind(records)),
    renew: guarded(records.renew.bind(records)),
    trim: guarded(records.trim.bind(records)),
    claimDue: guarded(records.claimDue.bind(records)),
  };
}
