import type { Host, Records } from "../../core/index.ts";
import type { Pairing, PairingCode } from "../../chat/index.ts";
import { type AuditDraft, AuditLog } from "../../dashboard/index.ts";
import { Devices } from "../../member-app/sign-in/devices.ts";
import {
  importRoster,
  type RosterImport,
  type User,
  type UserDraft,
  type UserPatch,
} from "../../people/roster/index.ts";
import type { Knowledge } from "../../providers/knowledge/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Agent } from "../compose.ts";
import type { HomePeople } from "./home-people.ts";
import { joinNotes } from "./join-notes.ts";
import { wishGoingOn } from "./raised-budgets.ts";

/** Who changes people by a command of the machine. */
export const FROM_HERE = { who: "operator", from: "this machine" } as const;

/** The changes of the people of a home, in its audit log under the name of who makes them. */
export function peopleChanges(
  { host, store: { records }, people, knowledge }: Agent,
  by: Pick<AuditDraft, "who" | "from">,
): PeopleChanges {
  const log = new AuditLog(records, host.services);
  const note: PeopleChangesPorts["note"] = (entry) => log.note({ ...entry, ...by });
  return new PeopleChanges({ host, records, people, knowledge, note });
}

const JOIN_MS = 10_000;
const STOPPED_AT_ONCE = 500;

/** An entry of the audit log, without who did it from where. */
export type ChangeNote = Omit<AuditDraft, "who" | "from">;

/** The ports of `PeopleChanges`. */
export interface PeopleChangesPorts {
  readonly host: Host;
  readonly records: Records;
  readonly people: Pick<HomePeople, "roster" | "budgets" | "scopeOf">;
  readonly knowledge: Pick<Knowledge, "memory">;
  /** Notes each change in the audit log. */
  readonly note: (entry: ChangeNote) => Promise<void>;
}

/** The changes that operators make of people, each with what follows from it, in the audit log. */
export class PeopleChanges {
  readonly #ports: PeopleChangesPorts;

  constructor(ports: PeopleChangesPorts) {
    this.#ports = ports;
  }

  /** @throws HostError as `Roster.add` */
  async add(draft: UserDraft): Promise<User> {
    const after = await this.#ports.people.roster.add(draft);
    await this.#ports.note({ action: "user.added", subject: after.id, after });
    return after;
  }

  /** Who is disabled is out at once; what had stopped for want of a budget goes on. @throws HostError as `Roster.change` */
  async change(id: string, patch: UserPatch): Promise<User> {
    const { people, note } = this.#ports;
    const before = await people.roster.require(id);
    const after = await people.roster.change(id, patch);
    await note({ action: "user.changed", subject: id, before, after });
    if (after.disabled === true && before.disabled !== true) await this.#end(id);
    if (patch.budget !== undefined) await this.#goOn(id);
    return after;
  }

  /** Who is off the roster is out at once. @throws HostError `not_found` */
  async remove(id: string): Promise<User> {
    const { people, note } = this.#ports;
    const before = await people.roster.require(id);
    await people.roster.remove(id);
    await note({ action: "user.removed", subject: id, before });
    await this.#end(id);
    return before;
  }

  /** The notes of the identity's chat become the user's. @throws HostError as `Roster.link` */
  async link(id: string, identity: string): Promise<User> {
    const { people, note } = this.#ports;
    const before = await people.roster.require(id);
    const after = await people.roster.link(id, identity);
    await note({ action: "user.changed", subject: id, before, after });
    await this.#join(after, identity);
    return after;
  }

  /**
   * Lets the person of a pairing code in. Given a user, their identity is linked first: one that is somebody else's lets
   * nobody in.
   *
   * @throws HostError as `Pairing.approve` and `link`
   */
  async letIn(pairing: Pairing, code: string, user: string | undefined): Promise<PairingCode> {
    const { platform, person } = await pairing.offered(code);
    if (user !== undefined) await this.link(user, `${platform}:${person.id}`);
    return await pairing.approve(code);
  }

  /** @throws HostError as `Roster.unlink` */
  async unlink(id: string, identity: string): Promise<User> {
    const { people, note } = this.#ports;
    const before = await people.roster.require(id);
    const after = await people.roster.unlink(id, identity);
    await note({ action: "user.changed", subject: id, before, after });
    return after;
  }

  /** @throws HostError as `importRoster` */
  async importFile(text: string): Promise<RosterImport> {
    const { people, note } = this.#ports;
    const outcome = await importRoster(people.roster, text);
    for (const { after } of outcome.added) {
      await note({ action: "user.added", subject: after.id, after });
      for (const identity of after.identities) await this.#join(after, identity);
    }
    for (const { before, after } of outcome.changed) {
      await note({ action: "user.changed", subject: after.id, before, after });
      for (const identity of after.identities)
        if (!before.identities.includes(identity)) await this.#join(after, identity);
      if (JSON.stringify(before.budget) !== JSON.stringify(after.budget)) await this.#goOn(after.id);
    }
    return outcome;
  }

  /** Signs all devices of a user out, and stops what runs for them. @throws HostError `not_found` */
  async endSessions(id: string): Promise<User> {
    const user = await this.#ports.people.roster.require(id);
    await this.#ports.note({ action: "user.sessions-ended", subject: id });
    await this.#end(id);
    return user;
  }

  async #end(id: string): Promise<void> {
    const { host, records, people } = this.#ports;
    people.budgets.forget();
    await new Devices(records, host.services.clock).endAll(id);
    for (const doing of ["working", "asking"] as const) {
      const query = { doing, includeHidden: true, includeChildren: true, limit: STOPPED_AT_ONCE, offset: 0 };
      for (const { id: session } of await host.of(id).list(query)) await this.#stop(session);
    }
  }

  async #stop(id: string): Promise<void> {
    try {
      const session = await this.#ports.host.session(id);
      await session.drop(session.state.queue.map(({ prompt }) => prompt.id));
      await session.interrupt({ from: { surface: "roster" } });
    } catch (thrown) {
      // It was deleted meanwhile.
      if (!(thrown instanceof HostError) || thrown.code !== "session_not_found") throw thrown;
    }
  }

  async #goOn(id: string): Promise<void> {
    const { records, host, people } = this.#ports;
    people.budgets.forget();
    await wishGoingOn(records, host.services.clock, id);
  }

  async #join(user: User, identity: string): Promise<void> {
    const { people, knowledge, note } = this.#ports;
    const [platform = "", ...rest] = identity.split(":");
    const from = `chat:${platform}:user:${rest.join(":")}`;
    const to = people.scopeOf(user);
    const { joined, left } = await joinNotes(knowledge, { from, to }, AbortSignal.timeout(JOIN_MS));
    if (joined + left > 0)
      await note({ action: "user.notes-joined", subject: user.id, after: { identity, joined, left } });
  }
}
