import { onSignals } from "../../app/process/signals.ts";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Host, newestSession, sameTitleNote, type Session, type SessionMode } from "../../core/index.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { type Agent, type AgentOptions, openAgent } from "../../app/compose.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { leftOutOf, leftOutWords } from "../../app/trust/workspace-trust.ts";
import { Denials } from "./denials.ts";
import { readPrompt } from "./read-prompt.ts";
import type { RunOutput } from "./run-output.ts";
import { runTurns } from "./run-turns.ts";
import { isRunCommand, runSlashCommand } from "./slash-command.ts";

interface RunOptions {
  readonly prompt?: string;
  /** The words after the prompt: none, or `-` for what stdin says. */
  readonly input: readonly string[];
  readonly continue: boolean;
  readonly resume?: string;
  readonly session?: string;
  readonly model?: string;
  readonly mode?: SessionMode;
  /** The same as the output `stream-json`. */
  readonly json: boolean;
  /** The folder is trusted this time. */
  readonly trust: boolean;
  readonly output?: RunOutput;
  /** The demo model answers. */
  readonly demo: boolean;
  readonly cwd?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly maxTurns?: number;
  /** A file with the JSON Schema that the answer must match. */
  readonly schema?: string;
}

/** `agent run`: one turn. The answer goes to stdout, one line to stderr when it fails. Gives the exit code. */
export async function run(process: Io, options: RunOptions): Promise<number> {
  const io = { ...process, cwd: await workFolder(process, options.cwd) };
  const output = options.json ? "stream-json" : (options.output ?? "text");
  const json = output !== "text";
  const rules = await ownRules(options);
  const schema =
    options.schema === undefined
      ? undefined
      : await (await import("./structured.ts")).answerSchema(options.schema, process.cwd);
  const given = await readPrompt(io, options);
  const command = isRunCommand(options.prompt) ? given : undefined;
  const denials = new Denials();
  const { observe } = denials;
  await using agent = await openAgent(io, {
    resident: false,
    trustsNew: options.trust,
    observe,
    ...defined({ rules }),
  });
  const { host } = agent;
  const plan = { agent, output, denials, ...defined({ schema, iterations: options.maxTurns }) };
  if (command === undefined) {
    const session = await openSession(host, io, options);
    await tellLeftOut(io, agent, session);
    await tellDemo(io, agent, session);
    if (!(await serversAreReady(io, agent))) return EXIT.interrupted;
    return await runTurns(io, session, { ...plan, prompt: given, typed: typedWords(options) });
  }
  if (!(await serversAreReady(io, agent))) return EXIT.interrupted;
  const session = await namedSession(host, io, options);
  const prompt = await runSlashCommand(io, agent, { command, session, json });
  if (prompt === undefined) return EXIT.completed;
  return await runTurns(io, await openSession(host, io, options), { ...plan, prompt, typed: prompt });
}

/** The words of the prompt that stand on the command line; `-` stands for what is piped in. */
const typedWords = ({ prompt = "", input }: RunOptions): string =>
  [prompt, ...input].filter((word) => word !== "-").join(" ");

/** The folder to work in. @throws HostError `command_usage` for one that is none */
async function workFolder({ cwd }: Io, named: string | undefined): Promise<string> {
  if (named === undefined) return cwd;
  const folder = resolve(cwd, named);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new HostError("command_usage", `--cwd ${named} is no folder that is there.`);
  return folder;
}

/** The rules of this run alone. @throws HostError `command_usage` for one that would cover nothing */
async function ownRules({
  allow = [],
  deny = [],
}: Pick<RunOptions, "allow" | "deny">): Promise<AgentOptions["rules"]> {
  if (allow.length + deny.length === 0) return undefined;
  const { readRule } = await import("../../app/approvals/approval-rules.ts");
  return {
    allowed: allow.flatMap((rule) => readRule("allowed", rule)),
    denied: deny.flatMap((rule) => readRule("denied", rule)),
  };
}

/** A script must not take what the demo says for a model's answer. Whoever chose it knows. */
async function tellDemo(io: Io, { live }: Agent, { state }: Session): Promise<void> {
  const { provider, model } = state.settings;
  if (provider !== undefined || model !== undefined || live.current.models.provider !== undefined) return;
  if (live.models.resolve({}).provider === "demo")
    await write(
      io.stderr,
      "agent: No model is configured: the built-in demo model answers. `agent setup` sets a model up, --demo silences this.\n",
    );
}

/** Nobody can be asked whether the folder is trusted: it is said what that leaves out. */
async function tellLeftOut(io: Io, agent: Agent, { state }: Session): Promise<void> {
  const left = state.cwd === "" ? undefined : leftOutOf(state.cwd, agent);
  if (left !== undefined && !left.decided)
    await write(
      io.stderr,
      `agent: ${forTerminalLine(`${leftOutWords(left)} --trust reads them this time.`)}\n`,
    );
}

/** There is only one turn: servers that come later would be of no use. `false`: the person does not want to wait. */
async function serversAreReady(io: Io, { mcp }: Agent): Promise<boolean> {
  const stop = new AbortController();
  using listening = new DisposableStack();
  listening.use(onSignals(io, ["SIGINT", "SIGTERM"], () => stop.abort()));
  await mcp.readyForTurn(stop.signal);
  return !stop.signal.aborted;
}

/**
 * The session that the options name; `undefined` when they name none. Which of several with one title it is stands on
 * stderr.
 */
async function namedSession(
  host: Host,
  io: Io,
  { continue: last, resume, session = resume }: RunOptions,
): Promise<Session | undefined> {
  if (session !== undefined) {
    const found = await host.lookUp(session);
    const note = sameTitleNote(found);
    if (note !== "") await write(io.stderr, `agent: ${forTerminalLine(note)}\n`);
    return await host.session(found.record.id);
  }
  const newest = last ? await newestSession(host.services.store, io.cwd) : undefined;
  return newest && (await host.session(newest.id));
}

/** @throws HostError `model_unknown` */
async function namedModel(models: ReturnType<Host["services"]["models"]>, choice: string) {
  // A name alone, the most common case, needs no list.
  if (!/[:/]/.test(choice)) return models.resolve(models.parse(choice));
  const { chosenModel } = await import("../model/choose.ts");
  return await chosenModel(models, choice);
}

async function openSession(host: Host, io: Io, options: RunOptions): Promise<Session> {
  const model = options.demo ? "demo:demo" : options.model;
  const models = host.services.models();
  // A model that cannot be used is refused before anything is written.
  const chosen = model === undefined ? undefined : await namedModel(models, model);
  const { mode } = options;
  const settings = {
    ...(chosen === undefined ? {} : { provider: chosen.provider, model: chosen.name }),
    ...defined({ mode }),
  };
  const found = await namedSession(host, io, options);
  if (found === undefined) return await host.open({ platform: "cli", cwd: io.cwd, settings });
  if (chosen !== undefined || mode !== undefined) await found.set(settings);
  return found;
}
