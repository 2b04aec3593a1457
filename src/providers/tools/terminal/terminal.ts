import { z } from "zod";
import { Signal } from "../../../shared/async/signal.ts";
import {
  type AnyTool,
  type ToolContext,
  type ToolResult,
  type ToolRun,
  defineTool,
  textPart,
} from "../../../core/index.ts";
import { SpooledOutput } from "../spawn/spooled-output.ts";
import { runAtClient } from "./at-client.ts";
import { endOf, watch } from "./command-end.ts";
import { present } from "./command-result.ts";
import { limitsFor } from "./output-text.ts";
import {
  commandEnvironment,
  findShell,
  openCwd,
  type TerminalTools,
  variablesFor,
  widthFor,
} from "./shell-run.ts";
import { helpSudo, type SudoHelp } from "./sudo.ts";
import type { UnaskedLine } from "../command-policy/unasked.ts";
import type { WorkspaceDirectory } from "../workspace/workspace.ts";
import { permitCommand, unaskedFormOf } from "./terminal-permit.ts";

const TIMEOUT = 120;
const LONGEST_TIMEOUT = 3600;
/** The system takes no longer single argument than 128 KB. */
const LONGEST_COMMAND = 100_000;
/** Bytes of an output that are kept besides what is shown. */
const SPOOLED = 8 * 1024 * 1024;
const input = z.object({
  command: z
    .string()
    .min(1)
    .max(LONGEST_COMMAND)
    .refine((text) => !text.includes("\0"), "must not contain a NUL character")
    .describe("A command line for the shell"),
  cwd: z.string().optional().describe("Where it runs, the working directory by default"),
  timeout: z
    .number()
    .min(1)
    .max(LONGEST_TIMEOUT)
    .optional()
    .describe(`Seconds after which it is ended, ${TIMEOUT} by default`),
  background: z
    .boolean()
    .optional()
    .describe("Let it go on and return at once; read and end it with the process tool"),
});

type Input = z.output<typeof input>;

export function terminalTool(tools: TerminalTools): AnyTool {
  return defineTool({
    name: "terminal",
    toolset: "terminal",
    description:
      "Runs a command in a shell and returns what it printed. Each call is a new shell without input and without a terminal. For servers and watchers use `background`; what a command leaves running otherwise is ended with it. Prefer the file tools for reading and changing files.",
    kind: "execute",
    effect: "once",
    input,
    label: ({ command }) => command.replace(/\s+/g, " ").trim(),
    permit: (request, context) => permitCommand(request, context, tools),
    run: (request, context) =>
      request.background === true
        ? startInBackground(request, context, tools)
        : runInFront(request, context, tools),
  });
}

/** It is over at once; only its command is not. */
async function startInBackground(
  { command, cwd = "." }: Input,
  context: ToolContext,
  tools: TerminalTools,
): Promise<ToolResult> {
  await using directory = await openCwd(cwd, context.session, tools);
  const { id } = await tools.background.start({
    command,
    file: await findShell(tools),
    args: ["-c", command],
    cwd: directory.reference,
    env: { PWD: directory.path, ...variablesFor(context, tools) },
    session: context.session.id,
  });
  return {
    outcome: "ok",
    content: [
      textPart(
        `Started in the background as ${id}. Use the process tool to read, wait for, write to or end it.`,
      ),
      { type: "terminal", terminalId: id, exitCode: null, signal: null },
    ],
    summary: `in the background as ${id}`,
  };
}

async function* runInFront(request: Input, context: ToolContext, tools: TerminalTools): ToolRun {
  const { command, cwd = ".", timeout = TIMEOUT } = request;
  const { session } = context;
  const { machine, tempDir, limit } = tools;
  const path = commandEnvironment(tools)["PATH"] ?? "";
  await using asked = await openCwd(cwd, session, tools);
  await using unasked = await unaskedFormOf(request, { session, cwd: asked.path }, tools);
  await using directory = await openCwd(unasked?.cwd ?? cwd, session, tools);
  await using sudo = await helpSudo({ context, command, machine, tempDir, path });
  const file = unasked?.shell ?? (await findShell(tools));
  // The client may change words and variables; what nobody was asked about runs here, as it was judged.
  if (context.terminals !== undefined && sudo === undefined && unasked === undefined) {
    const result = await runAtClient({
      file,
      command,
      env: variablesFor(context, tools),
      cwd: directory.path,
      context,
      timeout,
      limit,
      tempDir,
    });
    if (result !== undefined) return result;
  }
  return yield* runHere({ request, context, tools, file, directory, unasked, sudo });
}

interface LocalCommand {
  readonly request: Input;
  readonly context: ToolContext;
  readonly tools: TerminalTools;
  readonly file: string;
  readonly directory: WorkspaceDirectory;
  readonly unasked: UnaskedLine | undefined;
  readonly sudo: SudoHelp | undefined;
}

async function* runHere(local: LocalCommand): ToolRun {
  const { request, context, tools, file, directory, unasked, sudo } = local;
  const { command, timeout = TIMEOUT } = request;
  const { clock, signal, session } = context;
  const { tempDir, limit } = tools;
  await using output = new SpooledOutput({ limits: limitsFor(limit), cap: SPOOLED, tempDir });
  const bell = new Signal();
  const child = await tools.spawner.spawn({
    file,
    args: ["-c", unasked?.line ?? command],
    cwd: directory.reference,
    env:
      unasked === undefined
        ? { PWD: directory.path, ...variablesFor(context, tools), ...sudo?.env }
        : { ...unasked.env, ...widthFor(context.columns) },
    bareEnvironment: unasked !== undefined,
    label: command.slice(0, 80),
    session: session.id,
    signal,
    async output(chunk) {
      await output.write(sudo?.filter.push(chunk) ?? chunk);
      bell.notify();
    },
  });
  // Its clean-up goes on by itself; whatever cannot be ended now, the next life of the host ends.
  const stop = (): void => void child.kill().catch(() => undefined);
  const timeUp = new AbortController();
  timeUp.signal.addEventListener("abort", stop, { once: true });
  const cancelTimer = clock.after(timeout * 1000, () => timeUp.abort());
  try {
    const end = yield* watch(endOf(child, { clock, signal, timeUp: timeUp.signal }), {
      clock,
      bell,
      output: output.ends,
    });
    if (sudo !== undefined) await output.write(sudo.filter.flush());
    const refusals = sudo?.refusals ?? [];
    return await present(end, {
      context,
      output,
      refusals,
      limit,
      ...(timeUp.signal.aborted ? { timeout } : {}),
    });
  } finally {
    cancelTimer();
    stop();
  }
}
