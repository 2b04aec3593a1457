import { type BlobRef, type ToolContext, type ToolResult, textPart } from "../../../core/index.ts";
import type { Exit } from "../spawn/child.ts";
import type { SpooledOutput } from "../spawn/spooled-output.ts";
import type { CommandEnd } from "./command-end.ts";
import { sandboxNotes } from "./sandbox-notes.ts";
import { showOutput } from "./output-text.ts";

/** Characters of a result beside the output. */
const NOTES = 2000;

/** The facts from which a command's result is written. */
export interface CommandReport {
  readonly context: ToolContext;
  readonly output: SpooledOutput;
  /** Seconds that it had, when they were over before it was. */
  readonly timeout?: number;
  /** Why sudo got no password. */
  readonly refusals: readonly string[];
  /** Characters of the result. */
  readonly limit: number;
}

/** What a command did, for the model and for people. */
export async function present(end: CommandEnd, outcome: CommandReport): Promise<ToolResult> {
  const { context, output, limit } = outcome;
  const { text, isCut } = showOutput(output.ends, limit - NOTES);
  const overflow = isCut && !context.signal.aborted ? await keepWhole(context, output) : undefined;
  const exit = end.kind === "exited" ? end.exit : undefined;
  const notes = notesOn(end, outcome, text);
  const parts = [text === "" ? "(no output)" : text, ...notes.map((note) => `[${note}]`)];
  return {
    outcome: outcomeOf(exit, outcome),
    content: [
      textPart(parts.join("\n")),
      {
        type: "terminal",
        terminalId: context.callId,
        exitCode: exit?.code ?? null,
        signal: exit?.signal ?? null,
      },
    ],
    summary: notes[0] ?? "exit code 0",
    ...(overflow === undefined ? {} : { overflow }),
  };
}

function outcomeOf(exit: Exit | undefined, { context, timeout }: CommandReport): ToolResult["outcome"] {
  if (context.signal.aborted) return "cancelled";
  return exit?.code === 0 && timeout === undefined ? "ok" : "error";
}

function notesOn(
  end: CommandEnd,
  { context, timeout, refusals }: CommandReport,
  text: string,
): readonly string[] {
  const exit = end.kind === "exited" ? end.exit : undefined;
  const notes = [
    context.signal.aborted ? "interrupted" : undefined,
    timeout === undefined || context.signal.aborted ? undefined : timeoutNote(timeout),
    exit === undefined ? "it is still being ended" : exitNote(exit),
    ...new Set(refusals.map((reason) => `sudo got no password: ${reason}`)),
    exit === undefined || exit.left === 0 ? undefined : leftNote(exit.left),
    ...(exit?.sandbox === undefined ? [] : sandboxNotes(exit.sandbox, exit.code === 0 ? undefined : text)),
  ];
  return notes.filter((note) => note !== undefined);
}

function timeoutNote(seconds: number): string {
  return `ended after ${seconds} s, its time limit; set timeout for longer, or background for what has no end`;
}

function exitNote({ code, signal }: Exit): string | undefined {
  if (code === 0) return undefined;
  return code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${code}`;
}

function leftNote(count: number): string {
  const processes = count === 1 ? "1 process" : `${count} processes`;
  return `${processes} that it left running ${count === 1 ? "was" : "were"} ended; use background for what is to go on`;
}

/** The whole output, or as much of it as was kept. */
async function keepWhole(context: ToolContext, output: SpooledOutput): Promise<BlobRef> {
  const spooled = await output.spooled();
  if (spooled !== undefined) return await context.putBlob(spooled.bytes);
  const { head, tail } = output.ends.ends();
  return await context.putBlob(Buffer.concat([head, tail]));
}
