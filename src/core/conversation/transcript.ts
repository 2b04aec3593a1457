import { isHistoryEvent } from "./history-events.ts";
import { contentText, segmentText, type UserPart } from "../events/content.ts";
import type { EventNamed, Row, TurnOutcome } from "../events/events.ts";
import type { GivenMessage, Prompt } from "../events/prompt.ts";
import type { ErrorCode } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { decodeRow } from "../log/row-codec.ts";
import { coversSeq, type SessionState } from "../state/state.ts";
import type { Store } from "../ports/store.ts";
import type { StoredRow } from "../ports/stored-row.ts";

/** An entry of a session as people read it. Undone turns have none. `seq` is the cursor after the entry. */
export type TranscriptEntry = { readonly seq: number; readonly at: number } & (
  | { readonly role: "user"; readonly prompt: Prompt; readonly parts: readonly UserPart[] }
  | { readonly role: "steer"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly reasoning: string;
      readonly model: string;
    }
  | ({ readonly role: "tool"; readonly text: string } & Pick<
      EventNamed<"tool.complete">,
      "callId" | "name" | "label" | "outcome"
    >)
  | { readonly role: "summary"; readonly text: string }
  /** The end of a turn that did not complete: how it ended, and why, in a sentence for people. */
  | {
      readonly role: "end";
      readonly outcome: Exclude<TurnOutcome, "completed">;
      readonly text: string;
      /** Of the error that it failed with. */
      readonly code?: ErrorCode;
    }
);

/** A part of a conversation as people read it. */
export interface TranscriptPage {
  /** Oldest first. */
  readonly entries: readonly TranscriptEntry[];
  /** Pass it as `before` for the page before this one; absent at the beginning. */
  readonly before?: number;
}

/** Rows for one entry: of a turn without tools there are twice as many as it has entries. */
const ROWS_PER_ENTRY = 3;
const LEAST_PAGE = 400;
/** So few rows that reading and decoding overlap. */
const LARGEST_PAGE = 1200;

/** The entries that are read: at most `limit`, or all of one row when that one holds more. */
export interface TranscriptRange {
  readonly limit: number;
  /** Only those before this cursor. */
  readonly before?: number;
}

/**
 * The newest entries before a cursor: at most `limit`, or all of one row when that one holds more, as a conversation that
 * was given whole does.
 *
 * @param session.keepRows - gets all rows of the session when they were read
 */
export async function readTranscript(
  store: Pick<Store, "readBefore">,
  session: {
    readonly id: string;
    readonly state: SessionState;
    readonly keepRows?: (rows: readonly Row[]) => void;
  },
  options: TranscriptRange,
): Promise<TranscriptPage> {
  const before = options.before ?? session.state.seq + 1;
  let rows: readonly Row[] = [];
  let entries: readonly TranscriptEntry[] = [];
  for await (const page of pagesBefore(store, session.id, {
    before,
    likely: options.limit * ROWS_PER_ENTRY,
  })) {
    // Here, behind the request for the next page: the store works on that meanwhile.
    const decoded = page.stored.map(decodeRow);
    rows = [...decoded, ...rows];
    entries = [...transcript(decoded, session.state), ...entries];
    if (entries.length < options.limit && !page.last) continue;
    if (page.last) session.keepRows?.(rows);
    const first = entries.at(-options.limit)?.seq;
    // A cursor stands before a row or behind it: what were cut off within one could never be read.
    const shown = first === undefined ? entries : entries.filter(({ seq }) => seq >= first);
    const rest = !page.last || shown.length < entries.length;
    return rest ? { entries: shown, before: shown[0]?.seq ?? decoded[0]?.seq ?? 0 } : { entries: shown };
  }
  return { entries };
}

/** Pages of a session's rows before a cursor, the newest first. */
async function* pagesBefore(
  store: Pick<Store, "readBefore">,
  id: string,
  options: { readonly before: number; readonly likely: number },
): AsyncGenerator<{ readonly stored: readonly StoredRow[]; readonly last: boolean }> {
  const size = Math.min(LARGEST_PAGE, Math.max(LEAST_PAGE, options.likely));
  let reading = store.readBefore(id, options.before, size);
  for (let read = 0; ;) {
    const stored = await reading;
    const last = stored.length < size;
    const next = (): typeof reading => store.readBefore(id, stored[0]?.seq ?? 0, size);
    read += stored.length;
    const ahead = !last && read < options.likely;
    if (ahead) {
      reading = next();
      // Nobody may want that page any more; whoever does hears of its failure.
      reading.catch(() => undefined);
    }
    yield { stored, last };
    if (last) return;
    if (!ahead) reading = next();
  }
}

/** The entries of rows in order. */
export function transcript(
  rows: readonly Row[],
  state: Pick<SessionState, "undone">,
): readonly TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  for (const row of rows) {
    if (coversSeq(state.undone, row.seq)) continue;
    if (row.event.type === "history.given") entries.push(...givenEntries(row, row.event.messages));
    const entry = entryOf(row);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** The surface of prompts that came before the session, with a history that a client gave. */
export const GIVEN_SURFACE = "given";

function givenEntries({ seq, at }: Row, messages: readonly GivenMessage[]): readonly TranscriptEntry[] {
  return messages.flatMap((message): TranscriptEntry[] => {
    switch (message.role) {
      case "user": {
        const { parts } = message;
        const prompt = {
          id: "",
          parts,
          from: { surface: GIVEN_SURFACE },
          questions: { mode: "ask" },
        } as const;
        return [{ role: "user", seq, at, prompt, parts }];
      }
      case "assistant":
        if (message.text === "") return [];
        return [{ role: "assistant", seq, at, text: message.text, reasoning: "", model: "" }];
      case "tool":
        return [];
    }
  });
}

function entryOf({ event, seq, at }: Row): TranscriptEntry | undefined {
  if (!isHistoryEvent(event)) return undefined;
  switch (event.type) {
    case "turn.start":
      return { role: "user", seq, at, prompt: event.prompt, parts: event.prompt.parts };
    case "steer.delivered":
      return { role: "steer", seq, at, text: event.text };
    case "reply.complete": {
      const text = segmentText(event.segments, "text").replace(/^\n\n/, "");
      const reasoning = segmentText(event.segments, "reasoning");
      return text === "" && reasoning === ""
        ? undefined
        : { role: "assistant", seq, at, text, reasoning, model: event.model };
    }
    case "tool.complete": {
      const { callId, name, label, outcome, content } = event;
      return { role: "tool", seq, at, callId, name, label, outcome, text: contentText(content) };
    }
    case "history.compress":
      return { role: "summary", seq, at, text: event.summary };
    case "history.given":
    case "history.undo":
    case "tool.start":
    case "process.complete":
    case "process.told":
    case "todos.cleared":
      return undefined;
    case "turn.end": {
      const { outcome, reason, error, undelivered = [] } = event;
      if (outcome === "completed") return undefined;
      const why = error?.message ?? reason ?? "";
      const words = [...(why === "" ? [] : [why]), ...undelivered.map((text) => `It had not read: ${text}`)];
      return { role: "end", seq, at, outcome, text: words.join(" "), ...defined({ code: error?.code }) };
    }
  }
}
