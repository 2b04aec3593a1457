import { z } from "zod";
import { sleep } from "../../../shared/async/clock.ts";
import {
  type AnyTool,
  type Permit,
  type ToolContext,
  type ToolResult,
  type ToolRun,
  defineTool,
  textPart,
} from "../../../core/index.ts";
import { cleanOutput } from "../../../shared/text/control-sequences.ts";
import { processEndWords } from "../../../shared/text/process-words.ts";
import { HostError, toolFailed } from "../../../shared/errors/host-error.ts";
import { hardBlockReason } from "../command-policy/hard-block/hard-block.ts";
import type { BackgroundProcess } from "./background-process.ts";
import { lastCharacters, previewOf } from "./output-text.ts";
import { sandboxNotes } from "./sandbox-notes.ts";
import type { TerminalTools } from "./shell-run.ts";
import { surroundings } from "./terminal-permit.ts";

const WAIT = 30;
const LONGEST_WAIT = 600;
const LINES = 100;

const input = z.object({
  action: z
    .enum(["list", "poll", "log", "wait", "write", "kill"])
    .describe(
      "list: all of this session; poll: what is new; log: the last lines; wait: until it ends or prints nothing more in time; write: a line to its input; kill: end it",
    ),
  id: z.string().optional().describe("The process, for every action but list"),
  timeout: z.number().min(0).max(LONGEST_WAIT).optional().describe(`Seconds to wait, ${WAIT} by default`),
  text: z.string().optional().describe("What to write; a line end is added"),
  lines: z.number().int().min(1).max(2000).optional().describe(`Lines of the log, ${LINES} by default`),
});

type Input = z.output<typeof input>;

export function processTool(tools: TerminalTools): AnyTool {
  return defineTool({
    name: "process",
    toolset: "terminal",
    description: "Reads, waits for, writes to and ends the commands that were started in the background.",
    kind: "execute",
    effect: "once",
    changes: "nothing",
    input,
    label: ({ action, id }) => (id === undefined ? `Processes: ${action}` : `Process ${id}: ${action}`),
    permit: (request, context) => Promise.resolve(permitAction(request, context, tools)),
    run: (request, context) => act(request, context, tools),
  });
}

/** Reading and ending one's own is free; what is written could be commands for a shell. */
function permitAction(
  { action, id, text = "" }: Input,
  { session }: ToolContext,
  tools: TerminalTools,
): Permit {
  if (action !== "write") return { verdict: "allow" };
  const job = find(id, session.id, tools);
  const forbidden = hardBlockReason(text, surroundings(session, session.cwd, tools));
  if (forbidden !== undefined)
    return { verdict: "block", reason: `Not written, and it never will be: ${forbidden}.` };
  return {
    verdict: "ask",
    harmless: job.child.isInside,
    place: job.child.isInside ? "inside" : "outside",
    command: text,
    description: `Writes to ${job.id}, which runs ${job.child.isInside ? "inside the sandbox: " : ""}${job.command}`,
    patterns: [`write:${job.id}`],
    reasons: ["types into a program that runs"],
    allowPermanent: false,
  };
}

async function* act(request: Input, context: ToolContext, tools: TerminalTools): ToolRun {
  const { session, clock } = context;
  if (request.action === "list") return ok(listing(tools.background.list(session.id), clock.now()));
  const job = find(request.id, session.id, tools);
  switch (request.action) {
    case "poll":
      return ok(news(job, tools.limit));
    case "log":
      return ok(log(job, request.lines ?? LINES, tools.limit));
    case "wait":
      return yield* wait(job, request.timeout ?? WAIT, { context, tools });
    case "write":
      return ok(await write(job, request.text));
    case "kill":
      job.awaited += 1;
      await tools.background.end(job);
      return ok(news(job, tools.limit));
  }
}

const ok = (text: string): ToolResult => ({ outcome: "ok", content: [textPart(text)] });

function find(id: string | undefined, session: string, { background }: TerminalTools): BackgroundProcess {
  const all = background.list(session);
  const job = all.find((one) => one.id === id);
  if (job !== undefined) return job;
  const known = all.map((one) => one.id).join(", ") || "none";
  const problem = id === undefined ? "id is missing" : `There is no process ${id}`;
  throw new HostError("not_found", `${problem}; the processes of this session are: ${known}`);
}

function listing(processes: readonly BackgroundProcess[], now: number): string {
  if (processes.length === 0) return "No process was started in the background.";
  return processes
    .map((job) => {
      const seconds = Math.round((now - job.startedAt) / 1000);
      return `${job.id}  ${status(job)}, started ${seconds} s ago  ${job.command.slice(0, 200)}`;
    })
    .join("\n");
}

function status({ exit }: BackgroundProcess): string {
  if (exit === undefined) return "running";
  return processEndWords({ exitCode: exit.code, signal: exit.signal });
}

const NOTES = 300;

/** What it printed since the last look, and how it is. */
function news(job: BackgroundProcess, limit: number): string {
  const { text, next, missed } = job.output.since(job.read);
  job.read = next;
  const shown = lastPart(cleanOutput(text), limit - NOTES);
  const gap = missed > 0 ? `[… ${missed} bytes are kept no more …]\n` : "";
  const notes = job.exit?.sandbox === undefined ? [] : sandboxNotes(job.exit.sandbox, undefined);
  const said = notes.map((note) => `\n[${note}]`).join("");
  return `${gap}${shown === "" ? "(nothing new)" : shown}\n[${job.id}: ${status(job)}]${said}`;
}

function log(job: BackgroundProcess, lines: number, limit: number): string {
  const { text, next } = job.output.since(0);
  job.read = next;
  const last = cleanOutput(text).trimEnd().split("\n").slice(-lines).join("\n");
  return `${lastPart(last, limit - NOTES) || "(no output)"}\n[${job.id}: ${status(job)}]`;
}

function lastPart(text: string, characters: number): string {
  const end = text.trimEnd();
  if (end.length <= characters) return end;
  return `[… ${end.length - characters} characters left out …]\n${lastCharacters(end, characters)}`;
}

/** Until the process is over or the time is; its news are shown meanwhile. */
async function* wait(
  job: BackgroundProcess,
  seconds: number,
  { context, tools }: { readonly context: ToolContext; readonly tools: TerminalTools },
): ToolRun {
  const { clock, signal } = context;
  const timeUp = new AbortController();
  const over = AbortSignal.any([timeUp.signal, signal, job.ended]);
  const cancel = clock.after(seconds * 1000, () => timeUp.abort());
  let shown = job.output.total;
  job.awaited += 1;
  try {
    while (!over.aborted) {
      if (job.output.total !== shown) {
        shown = job.output.total;
        yield { preview: previewOf(job.output) };
        await sleep(clock, PREVIEW_EVERY, over);
      } else await job.bell.wait(over);
    }
  } finally {
    job.awaited -= 1;
    cancel();
    timeUp.abort();
  }
  const result = ok(news(job, tools.limit));
  return signal.aborted ? { ...result, outcome: "cancelled" } : result;
}

const PREVIEW_EVERY = 100;

async function write({ id, child, exit }: BackgroundProcess, text: string | undefined): Promise<string> {
  if (text === undefined) throw new HostError("invalid_params", "text is missing");
  if (exit !== undefined || child.input === undefined) {
    throw toolFailed(
      exit === undefined
        ? `${id} has no input: it was started without one`
        : `${id} is over; nothing can be written to it`,
    );
  }
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>();
  child.input.write(text.endsWith("\n") ? text : `${text}\n`, resolve);
  const error = await promise;
  if (error) throw toolFailed(`${id} does not read its input any more`, error);
  return `Written to ${id}. Poll it to see what it says.`;
}
