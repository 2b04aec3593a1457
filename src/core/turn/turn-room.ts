import type { SessionState } from "../state/state.ts";

/** The decision whether a turn may begin now; `leave` is called once it runs, or does not come about. */
export interface TurnEntry {
  /** There is no room: its prompt waits in the queue of its session, and the session in the line. */
  readonly waits: boolean;
  leave(): void;
}

/** A session as the line needs it. */
export interface WaitingSession {
  readonly id: string;
  readonly state: Pick<SessionState, "queue" | "turn" | "home">;
}

/** The line of sessions whose prompts wait for room, as sessions use it. */
export interface WaitingLine {
  readonly room: TurnRoom;
  /** Puts a session in the line whose queue holds a prompt that is to run. Never rejects: every host looks for those that are not in it. */
  add(session: WaitingSession): Promise<void>;
}

/** The parts of a room. */
export interface TurnRoomParts {
  /** Turns that this host runs at once; 0 is any number. */
  readonly limit: () => number;
  /** Told when a place is free that may be wanted. */
  readonly freed: () => void;
}

const FREE: TurnEntry = { waits: false, leave: () => undefined };
const FULL: TurnEntry = { waits: true, leave: () => undefined };

/** The room for turns of people, jobs and webhooks in one host. Subagents need none: they are part of their parent's turn. */
export class TurnRoom {
  readonly #parts: TurnRoomParts;
  /** The sessions whose turns run or are about to begin, and how often they were let in. */
  readonly #inside = new Map<string, number>();
  readonly #beginning = new Set<Promise<unknown>>();
  /** Others wait, as far as is known: who comes now goes behind them. */
  #isContended = false;

  constructor(parts: TurnRoomParts) {
    this.#parts = parts;
  }

  /** Turns that may begin now. */
  get left(): number {
    const limit = this.#parts.limit();
    return limit === 0 ? Number.MAX_SAFE_INTEGER : Math.max(0, limit - this.#inside.size);
  }

  /** A session whose turn ends gives its place to who has waited longest, when there is no other place. */
  get isFull(): boolean {
    return this.left === 0;
  }

  /** Asks for a place for a session's turn. One that is inside already has it. */
  admit(session: string, depth: number): TurnEntry {
    if (this.#parts.limit() === 0 || depth > 0) return FREE;
    if (!this.#inside.has(session) && (this.#isContended || this.isFull)) {
      this.#isContended = true;
      return FULL;
    }
    return { waits: false, leave: this.enter(session) };
  }

  /** Takes a place, also where none is left: a turn goes on that others began. The returned function gives it back. */
  enter(session: string): () => void {
    this.#inside.set(session, (this.#inside.get(session) ?? 0) + 1);
    let isOut = false;
    return () => {
      if (isOut) return;
      isOut = true;
      const times = (this.#inside.get(session) ?? 1) - 1;
      if (times > 0) return void this.#inside.set(session, times);
      this.#inside.delete(session);
      if (this.#isContended) this.#parts.freed();
    };
  }

  /** Notes that a turn may be about to begin: a host that ends waits for it, and then for the turn. */
  beginning<T>(begin: Promise<T>): Promise<T> {
    this.#beginning.add(begin);
    return begin.finally(() => this.#beginning.delete(begin));
  }

  /** Resolves when no turn is about to begin. */
  async begun(): Promise<void> {
    while (this.#beginning.size > 0) await Promise.allSettled(this.#beginning);
  }

  /** Others wait: the next ones go behind them, until a look at the line finds nobody. */
  contended(): void {
    this.#isContended = true;
  }

  /** Nobody waits. */
  uncontended(): void {
    this.#isContended = false;
  }
}
