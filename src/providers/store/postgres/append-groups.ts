import { setImmediate as nextTurn } from "node:timers";
import type { EncodedAppend } from "../operations.ts";
import { PassingFailure } from "./failure.ts";

/** Appends with rows are waited for until they are on the disk, text alone is not. */
export type AppendKind = "rows" | "text";

/** An append that waits, with what becomes of it. */
interface WaitingAppend<Outcome> {
  readonly request: EncodedAppend;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** What the queue asks about appends. */
interface GroupPorts<Outcome> {
  kindOf(request: EncodedAppend): AppendKind;
  /** Carries out a group of one kind, no two of one session; the outcomes stand in its order. */
  carryOut(kind: AppendKind, group: readonly EncodedAppend[]): Promise<readonly Outcome[]>;
}

/** Groups under way at a time. Text gathers meanwhile: its way is short, and a group of many costs hardly more than one of few. */
const MOST_GROUPS: Readonly<Record<AppendKind, number>> = { rows: 4, text: 1 };
/** At most so many appends in a group, and so many characters of rows. */
const MOST_APPENDS: Readonly<Record<AppendKind, number>> = { rows: 64, text: 2_000 };
const LARGEST = 1024 * 1024;
/** Milliseconds from one group of text to the next, where they follow each other: few statements carry the text of many sessions, and no reader sees the difference. */
const TEXT_APART = 8;

/**
 * A queue of appends that go in groups: what waits when a group returns goes with the next one. The appends of a session go
 * one after the other.
 */
export class AppendGroups<Outcome> {
  readonly #ports: GroupPorts<Outcome>;
  #waiting: WaitingAppend<Outcome>[] = [];
  /** Sessions with an append under way. */
  readonly #busy = new Set<string>();
  readonly #underWay: Record<AppendKind, number> = { rows: 0, text: 0 };
  #isDue = false;
  /** When text may go again, by the monotonic clock, and the timer that waits for it. */
  #textAt = 0;
  #textTimer: NodeJS.Timeout | undefined;

  constructor(ports: GroupPorts<Outcome>) {
    this.#ports = ports;
  }

  add(request: EncodedAppend): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    // Rows wait for the text before them: it goes at once.
    const isHeld = performance.now() < this.#textAt && this.#ports.kindOf(request) === "rows";
    if (isHeld && this.#waiting.some((each) => each.request.session === request.session)) this.#textAt = 0;
    this.#waiting.push({ request, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** What was asked in one turn of the loop goes together. */
  #schedule(): void {
    if (this.#isDue || this.#waiting.length === 0) return;
    this.#isDue = true;
    nextTurn(() => {
      this.#isDue = false;
      for (const kind of ["rows", "text"] as const)
        while (this.#underWay[kind] < MOST_GROUPS[kind]) {
          if (kind === "text" && !this.#mayTextGo()) break;
          const group = this.#take(kind);
          if (group.length === 0) break;
          if (kind === "text") this.#textAt = performance.now() + TEXT_APART;
          void this.#send(kind, group);
        }
    });
  }

  #mayTextGo(): boolean {
    const left = this.#textAt - performance.now();
    clearTimeout(this.#textTimer);
    if (left <= 0) return true;
    if (this.#waiting.some(({ request }) => this.#ports.kindOf(request) === "text"))
      this.#textTimer = setTimeout(() => this.#schedule(), left);
    return false;
  }

  /** Takes the first append of each session that has none under way, as far as they are of this kind. */
  #take(kind: AppendKind): readonly WaitingAppend<Outcome>[] {
    const group: WaitingAppend<Outcome>[] = [];
    const left: WaitingAppend<Outcome>[] = [];
    const passed = new Set<string>();
    let size = 0;
    for (const waiting of this.#waiting) {
      const { request } = waiting;
      const { session } = request;
      const isFirst = !passed.has(session) && !this.#busy.has(session);
      passed.add(session);
      const isFull = group.length >= MOST_APPENDS[kind] || size >= LARGEST;
      if (!isFirst || isFull || this.#ports.kindOf(request) !== kind) {
        left.push(waiting);
        continue;
      }
      group.push(waiting);
      for (const { body } of request.rows) size += body.length;
    }
    this.#waiting = left;
    for (const { request } of group) this.#busy.add(request.session);
    return group;
  }

  async #send(kind: AppendKind, group: readonly WaitingAppend<Outcome>[]): Promise<void> {
    this.#underWay[kind] += 1;
    await this.#carryOut(kind, group);
    this.#underWay[kind] -= 1;
    for (const { request } of group) this.#busy.delete(request.session);
    this.#schedule();
  }

  async #carryOut(kind: AppendKind, group: readonly WaitingAppend<Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#ports.carryOut(
        kind,
        group.map(({ request }) => request),
      );
      for (const [index, outcome] of outcomes.entries()) group[index]?.resolve(outcome);
    } catch (thrown) {
      // One of them failed all, or there is no room for so much: each may still succeed alone. But where no answer came, who knows what was done.
      if (group.length > 1 && !(thrown instanceof PassingFailure))
        for (const waiting of group) await this.#carryOut(kind, [waiting]);
      else for (const waiting of group) waiting.reject(thrown);
    }
  }
}
