import {
  type Clock,
  goOn,
  type Host,
  type Records,
  type SessionRecord,
  userOfBudget,
} from "../../core/index.ts";
import { CHAT_PLATFORMS, Inbox } from "../../chat/index.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { HomePeople } from "./home-people.ts";

const SPACE = "people.raised";
const LOOK_MS = 2000;
/** A process may go by the budget of before for a second. */
const SETTLED_MS = 1500;
const AT_ONCE = 100;
const MOST_PARKED = 500;

/** Lets the process that stays go on with what a user's budget had stopped. */
export async function wishGoingOn(records: Records, clock: Clock, user: string): Promise<void> {
  await records.put({ space: SPACE, key: user, value: "{}", dueAt: clock.now() + SETTLED_MS });
}

/** The ports of `RaisedBudgets`. */
export interface RaisedBudgetsPorts {
  readonly host: Host;
  readonly records: Records;
  readonly people: Pick<HomePeople, "budgets" | "roster" | "scopeOf">;
}

/** Goes on with turns that were stopped by the budget of a user, once somebody raised it. */
export class RaisedBudgets extends PollingWorker {
  readonly #ports: RaisedBudgetsPorts;

  constructor(ports: RaisedBudgetsPorts) {
    const { clock, report } = ports.host.services;
    super({ clock, report, everyMs: LOOK_MS, concurrency: AT_ONCE, poll: () => this.#look() });
    this.#ports = ports;
  }

  async #look(): Promise<void> {
    const { records, people } = this.#ports;
    const due = await records.claimDue(SPACE, this.capacity);
    if (due.length > 0) people.budgets.forget();
    for (const { key, version } of due)
      void this.trackClaimed({
        work: async () => {
          await this.#goOn(key);
          await records.remove(SPACE, key, version);
        },
        isClaimed: async () => (await records.get(SPACE, key))?.claim?.hostId === records.hostId,
      });
  }

  async #goOn(user: string): Promise<void> {
    const { host, people } = this.#ports;
    const parked = await host.list({ doing: "parked", includeHidden: true, limit: MOST_PARKED, offset: 0 });
    const theirs = parked.filter(({ state }) => userOfBudget(state.parked?.error) === user);
    if (theirs.length === 0) return;
    try {
      await people.budgets.admit({ user, person: "" });
    } catch (thrown) {
      // It was raised by too little: they wait for more.
      if (thrown instanceof HostError && thrown.code === "budget_exceeded") return;
      throw thrown;
    }
    for (const session of theirs) await this.#goOnIn(session, user);
  }

  async #goOnIn({ id, state }: SessionRecord, user: string): Promise<void> {
    const { host, people } = this.#ports;
    // In a chat the message is answered once more: else nobody there would see the answer.
    if (state.platform === "chat" && (await this.#answerAgain(id, state))) return;
    const session = await host.session(id);
    const text = await goOn(session);
    if (text === undefined) return;
    const who = await people.roster.find(user);
    const memoryScope = state.user === undefined || who === undefined ? undefined : people.scopeOf(who);
    const from = { surface: "roster" };
    await session.submit({ text, from, person: `user:${user}`, ...defined({ memoryScope }) }).accepted;
  }

  async #answerAgain(session: string, { source, lastTurn }: SessionRecord["state"]): Promise<boolean> {
    const { records, host } = this.#ports;
    const platform = CHAT_PLATFORMS.find(({ name }) => name === source)?.name;
    if (platform === undefined) return false;
    const inbox = new Inbox(records, host.services.clock, platform);
    const failed = await inbox.list({ status: "failed", limit: MOST_PARKED });
    const stopped = failed.find((entry) => entry.sessionId === session && entry.turnId === lastTurn?.turnId);
    if (stopped === undefined) return false;
    await inbox.replay(stopped.id);
    return true;
  }
}
