import { z } from "zod";
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
import { CommandTime } from "./command-time.ts";
import { endOf, watch } from "./command-end.ts";
import { leavesMachine } from "./leaves-machine.ts";
import { present } from "./command-result.ts";
import { limitsFor, showOutput } from "./output-text.ts";
import type { SpawnedChild } from "../spawn/child.ts";
import type { SpawnRequest } from "../spawn/spawner.ts";
import {
  commandEnvironment,
  findShell,
  openCwd,
  type TerminalTools,
  variablesFor,
  widthFor,
} from "./shell-run.ts";
import type { FrontCommand } from "./front-command.ts";
import { helpSudo, type SudoHelp } from "./sudo.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { Sandbox } from "../sandbox/port.ts";
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
  outside: z
    .boolean()
    .optional()
    .describe("Ask the user to run it outside the sandbox, for what the sandbox refused"),
  reason: z.string().max(500).optional().describe("Why it has to be outside, for the user"),
});

type Input = z.output<typeof input>;

export function terminalTool(tools: TerminalTools): AnyTool {
  return defineTool({
    name: "terminal",
    toolset: "terminal",
    description:
      "Runs a command in a shell and returns what it printed. Each call is a new shell without input and without a terminal. Where there is a sandbox, commands run in it unasked: they write only the workspace and /tmp, see no keys and no home of the user's, and reach allowed hosts only; try there first, and use `outside` only for what it refused. For servers and watchers use `background`; what a command leaves running otherwise is ended with it. Prefer the file tools for reading and changing files.",
    kind: "execute",
    effect: "once",
    input,
    label: ({ command }) => command.replace(/\s+/g, " ").trim(),
    leavesMachine: ({ command }) => leavesMachine(command),
    permit: (request, context) => permitCommand(request, context, tools),
    run: (request, context) =>
      request.background === true
        ? startInBackground(request, context, tools)
        : runInFront(request, context, tools),
  });
}

/** It is over at once; only its command is not. */
async function startInBackground(
  request: Input,
  context: ToolContext,
  tools: TerminalTools,
): Promise<ToolResult> {
  const { command, cwd = "." } = request;
  await using directory = await openCwd(cwd, context.session, tools);
  const sandbox = await sandboxOf(request, context, tools);
  const { id } = await tools.background.start({
    command,
    file: findShell(tools),
    args: ["-c", command],
    cwd: directory.reference,
    env: { PWD: directory.path, ...variablesFor(context, tools) },
    session: context.session.id,
    sandbox,
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
  // What goes on in the background keeps these until it is over.
  await using held = new AsyncDisposableStack();
  // From the beginning: who sends it to the background need not wait until it has been started.
  using front = tools.background.front({ session: session.id, key: context.callId, command });
  const asked = held.use(await openCwd(cwd, session, tools));
  const unasked = held.use(await unaskedFormOf(request, { session, cwd: asked.path }, tools));
  const moved = unasked !== undefined && unasked.cwd !== asked.path;
  const directory = moved ? held.use(await openCwd(unasked.cwd, session, tools)) : asked;
  const sandbox = await sandboxOf(request, context, tools);
  const help = { context, command, machine, tempDir, path };
  const sudo = sandbox === undefined ? held.use(await helpSudo(help)) : undefined;
  const file = unasked?.shell ?? findShell(tools);
  // The client may change words and variables; what nobody was asked about runs here, as it was judged.
  // Its terminals are outside.
  const isOurs = sandbox !== undefined || sudo !== undefined || unasked !== undefined;
  if (context.terminals !== undefined && !isOurs) {
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
  return yield* runHere({ request, context, tools, file, directory, unasked, sudo, sandbox, held, front });
}

/** The sandbox for a call that was judged to run in it. @throws HostError `tool_failed` when there is none any more */
async function sandboxOf(
  request: Input,
  { session }: ToolContext,
  { judged, sites }: TerminalTools,
): Promise<Sandbox | undefined> {
  if (!judged.inside.has(request)) return undefined;
  const site = await sites.siteOf(session);
  if (site.place === "inside") return site.sandbox;
  throw new HostError(
    "tool_failed",
    "Not run: it was let pass for the sandbox, which is gone; call it again",
  );
}

interface LocalCommand {
  readonly request: Input;
  readonly context: ToolContext;
  readonly tools: TerminalTools;
  readonly file: string;
  readonly directory: WorkspaceDirectory;
  readonly unasked: UnaskedLine | undefined;
  readonly sudo: SudoHelp | undefined;
  readonly sandbox: Sandbox | undefined;
  readonly held: AsyncDisposableStack;
  readonly front: FrontCommand;
}

/** Says what is started: for a line that nobody was asked about, the form in which it was judged. */
function programFor(
  local: LocalCommand,
): Pick<SpawnRequest, "file" | "args" | "cwd" | "env" | "bareEnvironment" | "readsOnly"> {
  const { request, context, tools, file, directory, unasked, sudo, sandbox } = local;
  // Inside, it has the variables of all commands there: the walls that were put up ahead have them.
  const bare = sandbox === undefined ? unasked : undefined;
  const [alone, ...words] = unasked?.words ?? [];
  return {
    ...(alone === undefined
      ? { file, args: ["-c", unasked?.line ?? request.command] }
      : { file: alone, args: words }),
    cwd: directory.reference,
    env:
      bare === undefined
        ? { PWD: directory.path, ...variablesFor(context, tools), ...sudo?.env }
        : { ...bare.env, ...widthFor(context.columns) },
    bareEnvironment: bare !== undefined,
    readsOnly: unasked !== undefined,
  };
}

async function* runHere(local: LocalCommand): ToolRun {
  const { request, context, tools, sudo, sandbox, held, front } = local;
  const { command, timeout = TIMEOUT } = request;
  const { clock, signal, session } = context;
  const { tempDir, limit } = tools;
  await using output = new SpooledOutput({ limits: limitsFor(limit), cap: SPOOLED, tempDir });
  using time = new CommandTime(clock, timeout * 1000);
  using waiting = new DisposableStack();
  waiting.use(
    tools.sites.asking(session.id, {
      command,
      ask: (question) => time.standWhile(context.ask(question)),
    }),
  );
  const child = await tools.spawner.spawn({
    ...programFor(local),
    label: command.slice(0, 80),
    session: session.id,
    signal: front.lifeOf(signal),
    sandbox,
    warm: true,
    async output(chunk) {
      const safe = sudo?.filter.push(chunk) ?? chunk;
      if (front.id === undefined) await output.write(safe);
      front.take(safe);
    },
  });
  front.began(child);
  // Its clean-up goes on by itself; whatever cannot be ended now, the next life of the host ends.
  const stop = (): void => void child.kill().catch(() => undefined);
  time.signal.addEventListener("abort", stop, { once: true });
  try {
    const end = yield* watch(endOf(child, { clock, signal, timeUp: time.signal, moved: front.moved }), {
      clock,
      bell: front.bell,
      output: output.ends,
    });
    if (front.id !== undefined) return inBackground(front.id, { child, output, held, limit });
    if (sudo !== undefined) await output.write(sudo.filter.flush());
    const refusals = sudo?.refusals ?? [];
    const findings = end.kind === "exited" ? end.exit.sandbox : undefined;
    if (findings !== undefined) tools.sites.note(session.id, findings);
    return await present(end, {
      context,
      output,
      refusals,
      limit,
      ...(time.signal.aborted ? { timeout } : {}),
    });
  } finally {
    if (front.id === undefined) stop();
  }
}

/** What the model hears of a command that a person sent to the background. */
function inBackground(
  id: string,
  {
    child,
    output,
    held,
    limit,
  }: Pick<LocalCommand, "held"> & {
    readonly child: SpawnedChild;
    readonly output: SpooledOutput;
    readonly limit: number;
  },
): ToolResult {
  const kept = held.move();
  const letGo = (): void => void kept.disposeAsync().catch(() => undefined);
  child.exited.then(letGo, letGo);
  const { text } = showOutput(output.ends, limit - MOVED_NOTES);
  const note = `[the user sent it to the background: it goes on in the background as ${id}; read, wait for and end it with the process tool]`;
  return {
    outcome: "ok",
    content: [
      textPart(text === "" ? note : `${text}\n${note}`),
      { type: "terminal", terminalId: id, exitCode: null, signal: null },
    ],
    summary: `goes on in the background as ${id}`,
  };
}

/** Characters beside the output. */
const MOVED_NOTES = 300;
