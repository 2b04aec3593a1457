import {
  addUsage,
  isQuestion,
  NO_USAGE,
  type Session,
  type SessionEvent,
  textPart,
  type UserPart,
} from "../../core/index.ts";
import type { TurnResult, Usage } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { LineAnswers } from "../../tui/plain/line-answers.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { EXIT, type Io, writeLines } from "../../app/process/io.ts";
import { onSignals } from "../../app/process/signals.ts";
import type { Agent } from "../../app/compose.ts";
import type { AnswerFile } from "./answer-file.ts";
import type { RunImages } from "./run-images.ts";
import { RunWindow } from "./run-window.ts";
import { askOnTerminal } from "./ask-on-terminal.ts";
import type { Denials } from "./denials.ts";
import { printEnd, printTurn, type PrintedEnd, type RunOutput } from "./run-output.ts";
import type { AnswerSchema, Structured } from "./structured.ts";

/** The prompt of a run, and what is asked of its answer. */
interface RunPlan {
  readonly prompt: string;
  /** The part of it that a person typed: the files that it names go along. */
  readonly typed: string;
  readonly agent: Agent;
  readonly output: RunOutput;
  /** Model calls of one turn. */
  readonly iterations?: number;
  readonly schema?: AnswerSchema;
  readonly images?: RunImages;
  readonly answer?: AnswerFile;
  readonly denials: Denials;
}

/** The end of a turn, and its last reply. */
interface TurnAnswer {
  readonly result: TurnResult;
  readonly text: string;
}

/**
 * Runs the turn of a prompt, and one more to repair an answer that does not match the schema. Gives the exit code.
 *
 * @throws HostError what made the turn fail, after its output; `answer_invalid` when the repaired answer does not match
 */
export async function runTurns(io: Io, session: Session, plan: RunPlan): Promise<number> {
  const { schema, denials, output, images, answer, agent } = plan;
  const began = performance.now();
  const stop = new AbortController();
  using listening = new DisposableStack();
  const window = listening.use(new RunWindow(io, plan.agent, () => stop.abort()));
  listening.use(
    onSignals(io, ["SIGINT", "SIGTERM"], () =>
      stop.signal.aborted ? io.exit(EXIT.interrupted) : stop.abort(),
    ),
  );
  io.stdout.on("error", window.unread);
  const turns = new RunTurns(io, session, { ...plan, stop, window });
  const beside = [
    ...((await images?.partsFor(agent.host, session)) ?? []),
    ...(await namedFiles(io, session, plan)),
  ];
  let last = await turns.run(plan.prompt, beside);
  let read: Structured | undefined;
  if (last.result.outcome === "completed" && schema !== undefined) {
    read = schema.read(last.text);
    if (!read.ok) {
      last = await turns.run(repairPrompt(read.problem));
      if (last.result.outcome === "completed") read = schema.read(last.text);
    }
  }
  await window.done();
  if (window.isUnread && last.result.outcome === "cancelled") return EXIT.unread;
  const error = errorOf(last.result, read) ?? unseenImages(plan, session, last.result);
  const exitCode = error === undefined ? codeOf(last.result, denials) : EXIT.failed;
  const end: PrintedEnd = {
    sessionId: session.id,
    outcome: last.result.outcome,
    exitCode,
    text: last.text,
    denied: denials.found,
    usage: turns.usage,
    durationMs: Math.round(performance.now() - began),
    ...(read?.ok === true && error === undefined ? { structured: read.value } : {}),
    ...defined({ error }),
  };
  await printEnd(io, output, end);
  await answer?.keep("structured" in end ? JSON.stringify(end.structured) : last.text);
  for (const { label, reason } of denials.found)
    await writeLines(io.stderr, `agent: denied: ${forTerminalLine(`${label}. ${reason}`)}\n`);
  if (error !== undefined) throw error;
  return exitCode;
}

/** The files that the person names with `@`; what was piped in names none. */
async function namedFiles(
  io: Io,
  { state }: Session,
  { typed, agent }: RunPlan,
): Promise<readonly UserPart[]> {
  if (!typed.includes("@")) return [];
  const [{ mentionedParts }, { gatewayPorts }] = await Promise.all([
    import("../../rpc/handlers/attachments/mentions.ts"),
    import("../../app/rpc/gateway-ports.ts"),
  ]);
  const { files } = gatewayPorts(io, agent);
  return await mentionedParts(typed, { cwd: state.cwd || io.cwd, files, store: agent.store });
}

const repairPrompt = (problem: string): string =>
  `That answer does not match the JSON Schema: ${problem}. Answer again with the whole corrected JSON value and nothing else.`;

function errorOf({ outcome, error }: TurnResult, read: Structured | undefined): HostError | undefined {
  if (error !== undefined) return new HostError(error.code, error.message, { details: error.details ?? {} });
  if (outcome !== "completed" || read === undefined || read.ok) return undefined;
  return new HostError(
    "answer_invalid",
    `The answer does not match the schema, also after it was asked for again: ${read.problem}.`,
  );
}

function unseenImages(
  { images, agent }: RunPlan,
  session: Session,
  { outcome }: TurnResult,
): HostError | undefined {
  return outcome === "completed" ? images?.unseen(agent.host, session) : undefined;
}

function codeOf({ outcome }: TurnResult, denials: Denials): number {
  if (outcome === "cancelled" || outcome === "interrupted") return EXIT.interrupted;
  if (outcome !== "completed") return EXIT.failed;
  return denials.found.length === 0 ? EXIT.completed : EXIT.denied;
}

/** The plan that the turns of a run have in common. */
type TurnsPlan = Omit<RunPlan, "prompt"> & { readonly stop: AbortController; readonly window: RunWindow };

/** The turns of one run, one after the other in one session. */
class RunTurns {
  readonly #io: Io;
  readonly #session: Session;
  readonly #plan: TurnsPlan;
  readonly #answers = new LineAnswers();
  usage: Usage = NO_USAGE;

  constructor(io: Io, session: Session, plan: TurnsPlan) {
    this.#io = io;
    this.#session = session;
    this.#plan = plan;
  }

  async run(text: string, beside: readonly UserPart[] = []): Promise<TurnAnswer> {
    const session = this.#session;
    const { output, schema, iterations, stop, window } = this.#plan;
    const terminal = this.#io.stdin.isTTY === true && this.#io.stderr.isTTY === true;
    const after = session.state.counts.turns === 0 ? 0 : session.cursor;
    const turn = session.submit({
      parts: [textPart(text), ...beside],
      from: { surface: "cli", client: String(this.#io.pid) },
      questions: terminal
        ? { mode: "ask" }
        : { mode: "refuse", reason: "nobody can answer here: there is no terminal" },
      signal: stop.signal,
      ...defined({ instructions: schema?.instructions, iterations }),
    });
    const onEvent = async (event: SessionEvent): Promise<void> => {
      if (!terminal || window.isClosed || !isQuestion(event)) return;
      const interrupt = (): void => (window.isClosed ? undefined : stop.abort());
      await askOnTerminal(this.#io, { session, request: event, answers: this.#answers }, interrupt);
    };
    const quiet = schema !== undefined;
    const last = await printTurn(this.#io, { session, turn, after, output, quiet, onEvent });
    const result = await turn.result;
    this.usage = addUsage(this.usage, result.usage);
    return { result, text: last };
  }
}
