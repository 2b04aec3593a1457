import type { EventNamed } from "../../../src/core/events/events.ts";
import type { HistoryEntry, PromptEntry, ResultEntry } from "../history/history.ts";
import { answerIn } from "./cursors.ts";
import type { Fault } from "./fault.ts";
import type { LogRow } from "./log-row.ts";

/** What the log says of a prompt. */
interface Fate {
  queued: number;
  dropped: number;
  held: boolean;
  readonly turns: EventNamed<"turn.start">[];
}

/** Each accepted prompt is answered once, each other one at most once, and senders were told what the log says. */
export function* promptFaults(
  session: string,
  entries: readonly HistoryEntry[],
  rows: readonly LogRow[],
): Generator<Fault> {
  const fates = fatesOf(rows);
  const sent = new Map<string, PromptEntry>();
  for (const entry of entries) if (entry.type === "prompt") sent.set(entry.promptId, entry);
  for (const [id, { answered }] of sent) {
    const found = judge(answered, fates.get(id));
    if (found !== undefined) yield { session, ...found, text: `prompt ${id}, ${answered}, ${found.text}` };
  }
  for (const id of fates.keys())
    if (!sent.has(id)) yield { kind: "prompt", session, text: `prompt ${id} was sent by nobody` };
  for (const entry of entries) {
    const told = entry.type === "result" ? toldWrongly(entry, rows) : undefined;
    if (told !== undefined) yield { kind: "prompt", session, text: told };
  }
}

function judge(
  answered: PromptEntry["answered"],
  fate: Fate | undefined,
): Omit<Fault, "session"> | undefined {
  const { queued, dropped, held, turns } = fate ?? NONE;
  if (turns.length > 1) return { kind: "prompt", text: `ran ${turns.length} times` };
  if (queued > 1) return { kind: "prompt", text: `was queued ${queued} times` };
  if (turns.length + dropped > 1) return { kind: "prompt", text: "was taken back and ran" };
  if (answered === "refused") return fate && { kind: "prompt", text: "is in the log" };
  if (turns.length + dropped === 1) return undefined;
  if (queued > 0) return { kind: "stuck", text: held ? "is held" : "is queued, and nobody runs it" };
  return answered === "accepted" ? { kind: "prompt", text: "was never answered" } : undefined;
}

const NONE: Fate = { queued: 0, dropped: 0, held: false, turns: [] };

function fatesOf(rows: readonly LogRow[]): ReadonlyMap<string, Fate> {
  const fates = new Map<string, Fate>();
  const of = (id: string): Fate => {
    const fate = fates.get(id) ?? { queued: 0, dropped: 0, held: false, turns: [] };
    fates.set(id, fate);
    return fate;
  };
  for (const { event } of rows) {
    if (event.type === "turn.start") of(event.prompt.id).turns.push(event);
    if (event.type === "prompt.queued") of(event.prompt.id).queued += 1;
    if (event.type === "prompt.dropped") for (const id of event.promptIds) of(id).dropped += 1;
    if (event.type === "prompt.held" || event.type === "prompt.confirmed")
      for (const id of event.promptIds) of(id).held = event.type === "prompt.held";
  }
  return fates;
}

/** The sender of a prompt was told of the end of its turn; `undefined` when the log says the same. */
function toldWrongly(
  { promptId, turnId, outcome, text }: ResultEntry,
  rows: readonly LogRow[],
): string | undefined {
  const what = `of prompt ${promptId} somebody was told that turn ${turnId} ended as ${outcome}`;
  const start = rows.find(({ event }) => event.type === "turn.start" && event.prompt.id === promptId);
  if (start === undefined) return outcome === "cancelled" ? undefined : `${what}; it never began`;
  const end = rows.find(({ event }) => event.type === "turn.end" && event.turnId === turnId);
  if (end?.event.type !== "turn.end" || start.event.type !== "turn.start" || start.event.turnId !== turnId)
    return `${what}; the log has no such end`;
  if (end.event.outcome !== outcome) return `${what}; the log says ${end.event.outcome}`;
  const said = answerIn(rows, start.seq - 1, end.seq);
  return said === text
    ? undefined
    : `${what} with ${JSON.stringify(text)}; the log says ${JSON.stringify(said)}`;
}
