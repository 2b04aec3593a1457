import { onSignals } from "../../app/process/signals.ts";
import { text as readAll } from "node:stream/consumers";
import {
  type Host,
  newestSession,
  type QuestionRequest,
  sameTitleNote,
  type Session,
  type SessionEvent,
  type Turn,
} from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { type Agent, openAgent } from "../../app/compose.ts";
import { eventLine } from "../terminal/event-line.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { askOnTerminal } from "./ask-on-terminal.ts";
import { leftOutOf, leftOutWords } from "../../app/trust/workspace-trust.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { LineAnswers } from "../../tui/plain/line-answers.ts";
import { isRunCommand, runSlashCommand } from "./slash-command.ts";

/** Milliseconds that MCP servers get to be there. */
const MCP_MS = 5000;

interface RunOptions {
  readonly prompt?: string;
  /** The words after the prompt: none, or `-` for what stdin says. */
  readonly input: readonly string[];
  readonly continue: boolean;
  readonly resume?: string;
  readonly session?: string;
  readonly model?: string;
  readonly json: boolean;
  /** The folder is trusted this time. */
  readonly trust: boolean;
}

/** `agent run`: one turn. The answer goes to stdout, one line to stderr when it fails. Gives the exit code. */
export async function run(io: Io, options: RunOptions): Promise<number> {
  const { json } = options;
  const given = await readPrompt(io, options);
  const command = isRunCommand(options.prompt) ? given : undefined;
  await using agent = await openAgent(io, { resident: false, trustsNew: options.trust });
  const { host } = agent;
  if (command === undefined) {
    const session = await openSession(host, io, options);
    await tellLeftOut(io, agent, session);
    if (!(await serversAreReady(io, agent))) return EXIT.interrupted;
    return await runTurn(io, session, { prompt: given, json });
  }
  if (!(await serversAreReady(io, agent))) return EXIT.interrupted;
  const session = await namedSession(host, io, options);
  const prompt = await runSlashCommand(io, agent, { command, session, json });
  if (prompt === undefined) return EXIT.completed;
  return await runTurn(io, await openSession(host, io, options), { prompt, json });
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
  await mcp.ready(MCP_MS, stop.signal);
  return !stop.signal.aborted;
}

/** The prompt from the argument; from stdin when there is none, or when it is `-`; with `-` behind it from both. */
async function readPrompt(
  io: Io,
  { prompt: argument, input }: Pick<RunOptions, "prompt" | "input">,
): Promise<string> {
  const [dash, ...more] = input;
  if (more.length > 0 || (dash !== undefined && dash !== "-"))
    throw new HostError(
      "command_usage",
      "A prompt is one argument: put it into quotes. Only `-` may stand after it, for what stdin says.",
    );
  if (argument !== undefined && argument !== "-")
    return dash === undefined ? argument : `${argument}\n\n${(await readAll(io.stdin)).trim()}`.trim();
  if (io.stdin.isTTY === true && argument === undefined) {
    throw new HostError(
      "command_usage",
      'There is no prompt. Give one: agent run "What changed today?", or pipe it in.',
    );
  }
  const piped = (await readAll(io.stdin)).trim();
  if (piped === "") throw new HostError("command_usage", "There is no prompt: stdin was empty.");
  return piped;
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

async function openSession(host: Host, io: Io, options: RunOptions): Promise<Session> {
  const { model } = options;
  const models = host.services.models();
  // A model that cannot be used is refused before anything is written.
  const chosen = model === undefined ? undefined : models.resolve(models.parse(model));
  const settings = chosen === undefined ? {} : { provider: chosen.provider, model: chosen.name };
  const found = await namedSession(host, io, options);
  if (found === undefined) return await host.open({ platform: "cli", cwd: io.cwd, settings });
  if (chosen !== undefined) await found.set(settings);
  return found;
}

async function runTurn(
  io: Io,
  session: Session,
  { prompt, json }: { prompt: string; json: boolean },
): Promise<number> {
  const terminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const stop = new AbortController();
  const after = session.state.counts.turns === 0 ? 0 : session.cursor;
  const turn = session.submit({
    text: prompt,
    from: { surface: "cli", client: String(io.pid) },
    questions: terminal
      ? { mode: "ask" }
      : { mode: "refuse", reason: "nobody can answer here: there is no terminal" },
    signal: stop.signal,
  });
  using listening = new DisposableStack();
  listening.use(
    onSignals(io, ["SIGINT", "SIGTERM", "SIGHUP"], () =>
      stop.signal.aborted ? io.exit(EXIT.interrupted) : stop.abort(),
    ),
  );
  io.stdout.on("error", () => stop.abort());
  const answers = new LineAnswers();
  const ask = async (request: QuestionRequest): Promise<void> => {
    if (terminal) await askOnTerminal(io, { session, request, answers }, () => stop.abort());
  };
  if (json) await printEvents(io, { session, turn, after, ask });
  else await printAnswer(io, { session, turn, after, ask });
  const { outcome, error } = await turn.result;
  if (outcome === "completed") return EXIT.completed;
  if (outcome === "cancelled" || outcome === "interrupted") return EXIT.interrupted;
  if (error !== undefined) throw new HostError(error.code, error.message, { details: error.details ?? {} });
  return EXIT.failed;
}

interface Printing {
  readonly session: Session;
  readonly turn: Turn;
  /** The position in the log from which events are printed. */
  readonly after: number;
  readonly ask: (request: QuestionRequest) => Promise<void>;
}

/** Every event of the turn as a line, from the session's beginning when it is new. */
async function printEvents(io: Io, { session, turn, after, ask }: Printing): Promise<void> {
  await turn.accepted;
  let mine = false;
  // Only events of the log are printed, so that every line can be read again.
  for await (const event of session.events({ after, live: false })) {
    await write(io.stdout, eventLine(session.id, event));
    if (event.type === "turn.start") mine = event.prompt.id === turn.promptId;
    if (mine && event.type === "turn.end") return;
    if (mine && isQuestion(event)) await ask(event);
  }
}

async function printAnswer(io: Io, { turn, ask }: Printing): Promise<void> {
  let newline = true;
  for await (const event of turn) {
    if (event.type === "message.delta") {
      newline = event.text.endsWith("\n");
      await write(io.stdout, event.text);
    } else if (isQuestion(event)) await ask(event);
  }
  if (!newline) await write(io.stdout, "\n");
}

const isQuestion = (event: SessionEvent): event is Extract<SessionEvent, { type: `${string}.request` }> =>
  event.type.endsWith(".request");
