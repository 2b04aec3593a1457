import type { Decision, LogView } from "../log/append-plan.ts";
import type { AdoptedLease } from "../log/writer-ports.ts";
import type { Prompt } from "../events/prompt.ts";
import type { DriverPorts } from "../turn/driver.ts";
import { nextPrompt, withHeld } from "../state/queue.ts";
import type { SessionState } from "../state/state.ts";
import { turnStartRows } from "../turn/turn-rows.ts";
import { hostDraining } from "../log/errors.ts";
import type { TurnEntry } from "../turn/turn-room.ts";
import { belongsElsewhere, otherHome } from "./home-machine.ts";
import { isParked, recovery } from "./recovery.ts";
import type { TurnWaiters } from "./turn-waiters.ts";

const PROCESS_DIED = "The process that ran it was killed or crashed.";
const MACHINE_STOPPED = "The machine was switched off or restarted while it ran.";

/** The parts of a session that its queue is run with. */
export interface QueuePorts extends Pick<DriverPorts, "writer" | "services" | "draining" | "line"> {
  readonly waiters: TurnWaiters;
  /** All that is queued is run here; else only as long as somebody here waits for one of the prompts. */
  readonly resident: boolean;
  /** Drives the turn that has begun, if one has. */
  readonly drive: () => void;
  /** Somebody in this process follows the session. */
  readonly watched: () => boolean;
}

/** How a session is taken up that its owner has left. */
interface TakeUp {
  readonly turnId: string;
  /** Why its turn ends, in a sentence for people. */
  readonly reason: string;
  /** There is no room for what is queued. */
  readonly waits: boolean;
}

const ELSEWHERE: TurnEntry = { waits: true, leave: () => undefined };

/** Starter of queued prompts in a session that nobody drives. The turn is in the log then; its driver follows. */
export class QueueRunner {
  readonly #ports: QueuePorts;

  constructor(ports: QueuePorts) {
    this.#ports = ports;
  }

  /** Says whether this process runs what is queued. */
  owns({ queue }: Pick<SessionState, "queue">): boolean {
    const { resident, waiters } = this.#ports;
    return resident || queue.some(({ prompt }) => waiters.awaits(prompt.id));
  }

  /** Starts the next prompt when the process that drove the session has left it and somebody here waits for a prompt. */
  async startNext(): Promise<void> {
    const due = (state: SessionState): Prompt | undefined =>
      state.turn === undefined && this.owns(state) && !this.#ports.draining() ? nextPrompt(state) : undefined;
    if ((await this.#isBusy()) || due(this.#ports.writer.log.state) === undefined) return;
    await this.#whereThereIsRoom(async (waits) => {
      if (!waits) await this.#start(due);
    });
  }

  /** Starts the prompt that has waited for room: the session's place in the room is taken already. */
  async startWaiting(): Promise<void> {
    const { writer, draining, services, line } = this.#ports;
    const { log } = writer;
    if (!log.holdsLease) await log.refresh();
    await services.personas?.refresh?.({ id: log.id, state: log.state });
    if (draining()) throw hostDraining();
    const start = async (): Promise<void> => {
      if (log.state.turn === undefined)
        await this.#start((state) => (state.turn === undefined ? nextPrompt(state) : undefined));
      this.#ports.drive();
    };
    await line.room.beginning(start());
  }

  /** Starts what is left in the queue, unless somebody drives the session after all. */
  async startAbandoned(): Promise<void> {
    const { writer, services } = this.#ports;
    if ((await this.#isBusy()) || writer.log.state.turn !== undefined) return;
    if (await belongsElsewhere(writer, services.machines)) return;
    const turnId = this.#newTurnId();
    await this.#whereThereIsRoom(async (waits) => {
      const why = { turnId, reason: PROCESS_DIED, waits };
      await this.#ports.writer.transact((view) =>
        view.state.turn === undefined ? this.#takeUp(view, why) : { events: [], value: undefined },
      );
    });
  }

  /** Puts in order what a dead owner left, under its lease, and starts what is queued. */
  async recover(lease: AdoptedLease): Promise<void> {
    const reason = lease.reserved === undefined ? PROCESS_DIED : MACHINE_STOPPED;
    const turnId = this.#newTurnId();
    await this.#whereThereIsRoom(async (waits) => {
      await this.#ports.writer.adopt(lease, (view) => this.#takeUp(view, { turnId, reason, waits }));
    });
  }

  /** Returns the lease when no turn runs and none is queued that this process runs. */
  async returnLease(): Promise<void> {
    await this.#ports.writer.transact(({ state, holdsLease }) => {
      const isIdle = state.turn === undefined && (nextPrompt(state) === undefined || !this.owns(state));
      return { events: [], value: undefined, ...(holdsLease && isIdle ? { lease: "give" } : {}) };
    });
  }

  async #start(due: (state: SessionState) => Prompt | undefined): Promise<void> {
    const turnId = this.#newTurnId();
    await this.#ports.writer.transact(({ state }) => {
      const prompt = due(state);
      if (prompt === undefined) return { events: [], value: undefined };
      return { events: turnStartRows(turnId, prompt), value: undefined, lease: "take" };
    });
  }

  /** Does it with a place in the room; where there is none, the session is in the line afterwards. */
  #whereThereIsRoom(begin: (waits: boolean) => Promise<void>): Promise<void> {
    return this.#ports.line.room.beginning(this.#withRoom(begin));
  }

  async #withRoom(begin: (waits: boolean) => Promise<void>): Promise<void> {
    const { line, writer, services } = this.#ports;
    const { log } = writer;
    // Another machine runs what is queued; when that is gone, it waits there, unless this one may adopt the session.
    const isElsewhere = otherHome(log.state, services.machines) !== undefined;
    const entry = isElsewhere ? ELSEWHERE : line.room.admit(log.id, log.state.depth);
    try {
      await begin(entry.waits);
      this.#ports.drive();
      if (entry.waits) await line.add(log);
    } finally {
      entry.leave();
    }
  }

  #takeUp(view: LogView, { turnId, reason, waits }: TakeUp): Decision<undefined> {
    const { services, watched, draining } = this.#ports;
    const since = services.clock.now() - services.policy().queue.holdMs;
    // What waits for an answer goes on where its files are, or not at all.
    const mayPark = otherHome(view.state, services.machines) === undefined;
    const events = recovery(view, { since, watched: watched(), reason, mayPark });
    const runs = this.owns(view.state) && !(mayPark && isParked(view)) && !waits && !draining();
    const prompt = runs ? nextPrompt(withHeld(view.state, events)) : undefined;
    if (prompt === undefined) return { events, value: undefined, lease: "give" };
    return { events: [...events, ...turnStartRows(turnId, prompt)], value: undefined, lease: "take" };
  }

  async #isBusy(): Promise<boolean> {
    const { writer, draining, services } = this.#ports;
    const { log } = writer;
    await log.refresh();
    if (log.holdsLease || draining()) return true;
    await services.personas?.refresh?.({ id: log.id, state: log.state });
    return log.holdsLease || draining();
  }

  #newTurnId(): string {
    return `turn_${this.#ports.services.hex(8)}`;
  }
}
