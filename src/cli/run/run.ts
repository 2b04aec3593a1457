import { onSignals } from "../../app/process/signals.ts";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { chosenModel, type Host, newestSession, sameTitleNote, type Session } from "../../core/index.ts";
import { originWords } from "../../shared/text/origin-words.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { type Agent, type AgentOptions, openAgent } from "../../app/compose.ts";
import { EXIT, type Io, writeLines } from "../../app/process/io.ts";
import { leftOutOf, leftOutWords } from "../../app/trust/workspace-trust.ts";
import { modelFlag } from "../model/model-flag.ts";
import { Denials } from "./denials.ts";
import type { AnswerFile } from "./answer-file.ts";
import type { RunImages } from "./run-images.ts";
import { readPrompt, typedPrompt } from "./read-prompt.ts";
import type { RunFlags } from "./run-flags.ts";
import { runTurns } from "./run-turns.ts";
import { isRunCommand, runSlashCommand } from "./slash-command.ts";

/** `agent run`: one turn. The answer goes to stdout, one line to stderr when it fails. Gives the exit code. */
export async function run(process: Io, options: RunFlags): Promise<number> {
  const io = { ...process, cwd: await workFolder(process, options.cwd) };
  const output = options.json ? "stream-json" : (options.output ?? "text");
  const json = output !== "text";
  const rules = await ownRules(options);
  const schema =
    options.schema === undefined
      ? undefined
      : await (await import("./structured.ts")).answerSchema(options.schema, process.cwd);
  const images = await givenImages(process, options);
  const answer = await givenFile(process, options);
  const given = await readPrompt(io, options.prompt);
  const typed = typedPrompt(options.prompt) ?? "";
  const command = isRunCommand(typed) ? given : undefined;
  const denials = new Denials();
  const { observe } = denials;
  await using agent = await openAgent(io, {
    resident: false,
    trustsNew: options.trust,
    observe,
    ...defined({ rules }),
  });
  const { host } = agent;
  const plan = {
    agent,
    output,
    denials,
    ...defined({ schema, images, answer, iterations: options.maxTurns }),
  };
  if (command === undefined) {
    const session = await openSession(host, io, options);
    await tellLeftOut(io, agent, session);
    await tellDemo(io, agent, session);
    if (!(await serversAreReady(io, agent))) return EXIT.interrupted;
    return await runTurns(io, session, { ...plan, prompt: given, typed });
  }
  if (!(await serversAreReady(io, agent))) return EXIT.interrupted;
  const session = await namedSession(host, io, options);
  const prompt = await runSlashCommand(io, agent, { command, session, json });
  if (prompt === undefined) {
    if (images !== undefined)
      await writeLines(io.stderr, "agent: --image was not used: this command sends no prompt.\n");
    return EXIT.completed;
  }
  return await runTurns(io, await openSession(host, io, options), { ...plan, prompt, typed: prompt });
}

/** The images of `--image`; `undefined` for none. @throws HostError `command_usage` */
async function givenImages({ cwd }: Io, { image }: RunFlags): Promise<RunImages | undefined> {
  if (image === undefined) return undefined;
  const { runImages } = await import("./run-images.ts");
  return await runImages(image, cwd);
}

/** The file of `--output-last-message`; `undefined` for none. @throws HostError `command_usage` */
async function givenFile(
  { cwd }: Io,
  { outputLastMessage: path }: RunFlags,
): Promise<AnswerFile | undefined> {
  return path === undefined ? undefined : await (await import("./answer-file.ts")).answerFile(path, cwd);
}

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
}: Pick<RunFlags, "allow" | "deny">): Promise<AgentOptions["rules"]> {
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
    await writeLines(
      io.stderr,
      "agent: No model is configured: the built-in demo model answers. `agent setup` sets a model up, --demo silences this.\n",
    );
}

/** Nobody can be asked whether the folder is trusted: it is said what that leaves out. */
async function tellLeftOut(io: Io, agent: Agent, { state }: Session): Promise<void> {
  const left = state.cwd === "" ? undefined : leftOutOf(state.cwd, agent);
  if (left !== undefined && !left.decided)
    await writeLines(
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
  { continue: last, resume, session = resume }: RunFlags,
): Promise<Session | undefined> {
  if (session !== undefined) {
    const found = await host.lookUp(session);
    const note = sameTitleNote(found);
    if (note !== "") await writeLines(io.stderr, `agent: ${forTerminalLine(note)}\n`);
    return await host.session(found.record.id);
  }
  const newest = last ? await newestSession(host.services.store, "run", io.cwd) : undefined;
  if (newest === undefined) return undefined;
  const { record, isOfWay } = newest;
  if (!isOfWay) {
    const { title, preview } = record.state;
    const from = originWords(record.state) || "a chat";
    const words = `There is no run of this folder to go on with: this goes on with "${title || preview || record.id}" (${from}, ${record.id}).`;
    await writeLines(io.stderr, `agent: ${forTerminalLine(words)}\n`);
  }
  return await host.session(record.id);
}

async function openSession(host: Host, io: Io, options: RunFlags): Promise<Session> {
  const model = modelFlag(options);
  const models = host.services.models();
  // A model that cannot be used is refused before anything is written.
  const chosen = model === undefined ? undefined : await chosenModel(models, model);
  const { mode, title } = options;
  const settings = {
    ...(chosen === undefined ? {} : { provider: chosen.provider, model: chosen.name }),
    ...defined({ mode }),
  };
  const found = await namedSession(host, io, options);
  if (found === undefined)
    return await host.open({ platform: "cli", cwd: io.cwd, settings, ...defined({ title }) });
  if (title !== undefined)
    throw new HostError("command_usage", "--title is for a new session: this one has its own.");
  if (chosen !== undefined || mode !== undefined) await found.set(settings);
  return found;
}
