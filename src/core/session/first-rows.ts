import { defined } from "../../shared/json/defined.ts";
import { wellFormedJson } from "../../shared/json/json.ts";
import type { DurableEvent, EventNamed } from "../events/events.ts";
import type { Origin } from "../events/prompt.ts";
import { makeRow, makeRows } from "../log/append-plan.ts";
import { decodeRow, encodeRow } from "../log/row-codec.ts";
import type { Services } from "../ports/services.ts";
import type { StoredRow } from "../ports/stored-row.ts";
import { fold } from "../state/fold.ts";
import { EMPTY_STATE, type SessionState } from "../state/state.ts";
import { turnEndRows } from "../turn/turn-rows.ts";
import { type OpenOptions, startEvents } from "./open-options.ts";
import type { Past, PastEvent } from "./past.ts";
import { sessionIdFor } from "./session-id.ts";

/** The beginning of a session's log, and the state after it. */
interface Beginning {
  readonly rows: readonly StoredRow[];
  readonly state: SessionState;
}

/**
 * The first rows of a session: those that it starts with, then the past that it is given.
 *
 * @throws HostError `invalid_title`; `invalid_params` for a folder that is no absolute path
 */
export function firstRows(options: OpenOptions, services: Services): Beginning {
  const events = startEvents(options, services.machines);
  if (options.past === undefined) return makeRows(events, EMPTY_STATE, services);
  return new PastWriter(services).write(events, options.past);
}

/**
 * @internal Goes through the beginning of a session that nobody opens; gives its state. Node reads a program's functions when they are
 * first called, and who opens the first session waits for that.
 */
export function rehearseOpening(options: OpenOptions, services: Services): SessionState {
  sessionIdFor(services, undefined);
  return firstRows(options, services).state;
}

/** The sender of prompts that came with a past. */
const FROM: Origin = { surface: "import" };
const CUT_OFF = "the file ends here";

/**
 * A writer of another session's events as rows of a new one. Turns, prompts and cursors get names of their own, and marks
 * that name cursors go along. An event of a turn is left out where none runs; a turn without an end gets one.
 */
class PastWriter {
  readonly #services: Services;
  readonly #rows: StoredRow[] = [];
  /** Cursors there, which rise, and the same places here. */
  readonly #places: { readonly there: number; readonly here: number }[] = [];
  #state: SessionState = EMPTY_STATE;
  #at = 0;

  constructor(services: Services) {
    this.#services = services;
  }

  write(start: readonly DurableEvent[], { events, origin, originId }: Past): Beginning {
    const now = this.#services.clock.now();
    for (const event of start) this.#append(event, events[0]?.at ?? now);
    this.#places.push({ there: 0, here: this.#state.seq });
    for (const { event, at, seq } of events) {
      if (event.type === "turn.start") this.#endTurn();
      const own = this.#own(event);
      if (own === undefined) continue;
      this.#append(own, at);
      if (seq >= (this.#places.at(-1)?.there ?? 0)) this.#places.push({ there: seq, here: this.#state.seq });
    }
    this.#endTurn();
    this.#append({ type: "session.import", origin, ...defined({ originId }) }, now);
    return { rows: this.#rows, state: this.#state };
  }

  /** Times go forward, and not beyond now, whatever a file says. */
  #append(event: DurableEvent, at: number): void {
    const { clock, redactor } = this.#services;
    this.#at = Math.min(Math.max(at, this.#at), clock.now());
    const state = this.#state;
    const laid = event.type === "reply.complete" ? this.#laid(event) : { event, end: state.seq };
    const place = { state, seq: laid.end + 1, mid: false, at: this.#at, redactor: redactor() };
    const { row, stored } = makeRow(laid.event, place);
    this.#rows.push(stored);
    this.#state = fold(state, row);
  }

  /** A reply whose text stands right behind what is there; `end` is the cursor behind the text. */
  #laid(event: EventNamed<"reply.complete">): { readonly event: DurableEvent; readonly end: number } {
    let end = this.#state.seq;
    const segments = this.#asStored(event).segments.flatMap((segment) => {
      if (segment.text === "") return [];
      const cursor = end;
      end += segment.text.length;
      return [{ ...segment, cursor }];
    });
    return { event: { ...event, segments }, end };
  }

  /** The text as it will stand in the log counts, without secrets. */
  #asStored(event: EventNamed<"reply.complete">): EventNamed<"reply.complete"> {
    const stored = encodeRow({ n: 0, seq: 0, at: 0, event }, false);
    const body = wellFormedJson(this.#services.redactor().hideInJson(stored.body));
    const decoded = decodeRow({ ...stored, body }).event;
    return decoded.type === "reply.complete" ? decoded : event;
  }

  #own(event: PastEvent["event"]): DurableEvent | undefined {
    const { hex } = this.#services;
    switch (event.type) {
      case "turn.start": {
        const { parts } = event.prompt;
        const prompt = { id: `prompt_${hex(8)}`, parts, from: FROM, questions: { mode: "ask" } } as const;
        return { type: "turn.start", turnId: `turn_${hex(8)}`, prompt };
      }
      case "history.undo":
        return { ...event, keep: this.#here(event.keep) };
      case "history.compress":
        return { ...event, from: this.#here(event.from), to: this.#here(event.to) };
      case "history.given":
      case "process.complete":
      case "todos.cleared":
      case "notice":
        return event;
      default:
        return this.#ofTurn(event);
    }
  }

  #ofTurn(event: Extract<PastEvent["event"], { turnId: string }>): DurableEvent | undefined {
    const { turn } = this.#state;
    if (turn === undefined) return undefined;
    const { turnId, from } = turn;
    if (event.type === "message.complete") return { ...event, turnId, from };
    if (event.type === "steer.accepted") return { ...event, turnId, from: FROM };
    if (event.type === "turn.end" && event.lostAfter !== undefined)
      return { ...event, turnId, lostAfter: this.#here(event.lostAfter) };
    return { ...event, turnId };
  }

  #endTurn(): void {
    const view = { state: this.#state, holdsLease: false, segments: () => [] };
    const rows = turnEndRows(view, { outcome: "interrupted", reason: CUT_OFF });
    for (const event of rows) this.#append(event, this.#at);
  }

  /** The place here of a cursor there: behind the last row that stood before it. */
  #here(cursor: number): number {
    let low = 0;
    let high = this.#places.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#places[middle]?.there ?? 0) <= cursor) low = middle;
      else high = middle - 1;
    }
    return this.#places[low]?.here ?? 0;
  }
}
