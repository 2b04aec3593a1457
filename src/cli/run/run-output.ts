import { eventLine, type SessionEvent, type Turn } from "../../core/index.ts";
import { segmentText, type Session, type Usage } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import { type Io, write } from "../../app/process/io.ts";
import type { Denial } from "./denials.ts";
import type { RunFlags } from "./run-flags.ts";

/** A form of what `agent run` prints: the answer, one object at the end, or each event as a line. */
export type RunOutput = NonNullable<RunFlags["output"]>;

/** A turn on its way, and what its reader does. */
export interface Reading {
  readonly session: Session;
  readonly turn: Turn;
  /** The position in the log from which events are printed. */
  readonly after: number;
  readonly output: RunOutput;
  /** Nothing is printed before the answer was checked. */
  readonly quiet: boolean;
  readonly onEvent: (event: SessionEvent) => Promise<void>;
}

/** Prints a turn as it goes on, up to its end; gives the text of its last reply. */
export async function printTurn(io: Io, reading: Reading): Promise<string> {
  return reading.output === "stream-json" ? await printEvents(io, reading) : await printAnswer(io, reading);
}

/** Every event of the turn as a line, from the session's beginning when it is new. */
async function printEvents(io: Io, { session, turn, after, onEvent }: Reading): Promise<string> {
  await turn.accepted;
  let mine = false;
  let last = "";
  // Only events of the log are printed, so that every line can be read again.
  for await (const event of session.events({ after, live: false })) {
    await write(io.stdout, eventLine(session.id, event));
    if (event.type === "turn.start") mine = event.prompt.id === turn.promptId;
    if (!mine) continue;
    last = lastReply(event) ?? last;
    if (event.type === "turn.end") break;
    await onEvent(event);
  }
  return last;
}

async function printAnswer(io: Io, { turn, output, quiet, onEvent }: Reading): Promise<string> {
  const silent = quiet || output === "json";
  let newline = true;
  let last = "";
  for await (const event of turn) {
    last = lastReply(event) ?? last;
    if (event.type === "message.delta" && !silent) {
      newline = event.text.endsWith("\n");
      await write(io.stdout, event.text);
    } else await onEvent(event);
  }
  if (!newline) await write(io.stdout, "\n");
  return last;
}

const lastReply = (event: SessionEvent): string | undefined =>
  event.type === "reply.complete" ? segmentText(event.segments, "text").trim() : undefined;

/** The end of `agent run`, as `--output json` prints it. */
export interface PrintedEnd {
  readonly sessionId: string;
  readonly outcome: string;
  readonly exitCode: number;
  /** The last reply. */
  readonly text: string;
  /** The answer that matched the schema. */
  readonly structured?: unknown;
  readonly error?: Pick<ErrorRecord, "code" | "message">;
  readonly denied: readonly Denial[];
  readonly usage: Usage;
  readonly durationMs: number;
}

/** Prints the end in the form that was asked for; text has been printed by then, unless it had to be checked first. */
export async function printEnd(io: Io, output: RunOutput, end: PrintedEnd): Promise<void> {
  if (output === "json") return await write(io.stdout, `${JSON.stringify(endObject(end))}\n`);
  if (!("structured" in end)) return;
  const { sessionId, structured } = end;
  const line = output === "text" ? structured : { type: "structured", session_id: sessionId, structured };
  await write(io.stdout, `${JSON.stringify(line)}\n`);
}

function endObject(end: PrintedEnd): Readonly<Record<string, unknown>> {
  const { usage, error } = end;
  return {
    type: "result",
    session_id: end.sessionId,
    outcome: end.outcome,
    exit_code: end.exitCode,
    text: end.text,
    ...("structured" in end ? { structured: end.structured } : {}),
    ...defined({ error: error && { code: error.code, message: error.message } }),
    denied: end.denied,
    usage: {
      calls: usage.calls,
      input_tokens: usage.input,
      output_tokens: usage.output,
      reasoning_tokens: usage.reasoning,
      cache_read_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
    },
    cost: usage.cost ?? null,
    duration_ms: end.durationMs,
  };
}
