import { isCommand, shellCommand } from "../command-text.ts";
import type { Gateway, Result } from "../gateway.ts";
import { EventReader } from "../event-reader.ts";
import { type FirstSession, SessionController } from "../session-controller.ts";
import { appState } from "../state/app-state.ts";
import type { ViewState } from "../state/view-state.ts";
import { hostQuestions } from "../state/questions.ts";
import { ViewStore } from "../view-store.ts";
import { forTerminal } from "../terminal/terminal-text.ts";
import type { LocalWork } from "../local-work.ts";
import { endsWithWindow } from "../text/leaving-words.ts";
import { type LeftSession, leftSession } from "../state/left-session.ts";
import { LineAnswers } from "./line-answers.ts";
import type { LineConsole } from "./lines.ts";
import { pickSession } from "./pick-session.ts";
import { PlainView } from "./plain-view.ts";

/** Two Ctrl+C within this leave, in milliseconds. */
const DOUBLE_MS = 1000;
/** Commands that lead to commands: so many times at most. */
const MOST_ALIASES = 10;

/** Options of the plain client. */
export interface PlainOptions {
  readonly gateway: Gateway;
  readonly lines: LineConsole;
  readonly session: FirstSession;
  /** What needs this process. */
  readonly local: LocalWork;
  /** Resolves when the agent has its tools: what comes from a pipe waits for that. */
  readonly toolsReady: () => Promise<void>;
  /** Aborts when the client must end. */
  readonly signal: AbortSignal;
}

/** The end of the plain client: `failed` when its last turn failed or was given up at a question, or the gateway is gone. */
export type PlainEnd = "completed" | "failed";

/** The client in plain lines: what is typed while a turn runs is queued, or answers a question that it names. */
export class PlainClient {
  readonly #options: PlainOptions;
  readonly #store = new ViewStore(
    // Its lines have no end.
    appState({ size: { columns: Infinity, rows: Infinity }, now: Date.now(), history: [] }),
  );
  readonly #controller = new SessionController(this.#store, Date.now);
  readonly #reader = new EventReader({ store: this.#store, controller: this.#controller, now: Date.now });
  readonly #answers = new LineAnswers();
  readonly #view: PlainView;
  readonly #leaving = new AbortController();
  #interruptedAt = -Infinity;

  constructor(options: PlainOptions) {
    this.#options = options;
    this.#view = new PlainView((text) => options.lines.print(text), this.#answers.numbers);
    options.signal.addEventListener("abort", () => this.#leaving.abort(), { once: true });
    this.#controller.connect(options.gateway);
  }

  /**
   * Runs until the person leaves, or stdin ends and the last turn is over.
   *
   * @throws GatewayError when there is no gateway, or the first session cannot be opened
   */
  async run(): Promise<PlainEnd> {
    const { gateway, lines, session } = this.#options;
    const { signal } = this.#leaving;
    using leave = new DisposableStack();
    const reading = this.#reader.read(gateway, { signal, ready: () => lines.drained(signal) });
    try {
      await gateway.ready;
      const first =
        session.pick === true ? await pickSession(this.#options, { now: Date.now(), signal }) : session;
      await this.#reader.begin(gateway, first, "`agent doctor` says how to set one up.");
      leave.defer(this.#store.subscribe(() => this.#show()));
      this.#greet();
      if (!lines.isTerminal) await this.#options.toolsReady();
      if (first.prompt !== undefined) await this.#line(first.prompt);
      return await this.#converse();
    } finally {
      this.#leaving.abort();
      await reading;
      this.#lastWordsOfTurn();
    }
  }

  /** The session that is shown, when there is a conversation in it. */
  get left(): LeftSession | undefined {
    return leftSession(this.#shown);
  }

  get #shown(): ViewState {
    return this.#store.state.view;
  }

  #show(): void {
    const { finished, connection } = this.#shown;
    this.#view.show(this.#shown);
    const upTo = finished.at(-1)?.key;
    if (upTo !== undefined) return this.#store.dispatch({ type: "printed", upTo });
    if (connection.status === "closed") this.#leaving.abort();
    this.#prompt();
  }

  #greet(): void {
    const { info } = this.#shown.session ?? {};
    const model = info === undefined ? "" : `, on ${info.provider}:${info.model}`;
    this.#controller.note(`agent${model}. /help lists commands, /quit leaves.`);
  }

  async #converse(): Promise<PlainEnd> {
    const { lines } = this.#options;
    const { signal } = this.#leaving;
    for (;;) {
      // Lines from a pipe are all there at once: each waits for its turn, so that it can be an answer too.
      if (!lines.isTerminal) await this.#untilAsked();
      const typed = await lines.next(signal);
      if (typed === undefined) return this.#end();
      if (typed.type === "end" && lines.isTerminal && !(await this.#mayLeave())) continue;
      if (typed.type === "end") return await this.#lastWords();
      const work = typed.type === "interrupt" ? this.#interrupt() : this.#line(typed.text);
      await work.catch((thrown: unknown) => this.#controller.complain(thrown));
    }
  }

  async #line(typed: string): Promise<void> {
    const text = typed.trim();
    const open = this.#shown.questions.filter(({ answering }) => !answering);
    const meaning = this.#answers.read(
      typed,
      open.map(({ request }) => request),
    );
    if (meaning.type === "say") return this.#controller.note(meaning.text);
    if (meaning.type === "answer")
      return await this.#controller.answer(meaning.request, meaning.value, meaning.note);
    if (text === "") return this.#prompt();
    if (isCommand(text)) return await this.#command(text);
    const shell = shellCommand(text);
    if (shell !== undefined) {
      const running = this.#controller.shell(shell.command, shell.keep);
      // On a terminal Ctrl+C must be heard meanwhile.
      return this.#options.lines.isTerminal ? this.#controller.run(running) : await running;
    }
    this.#view.typed(text);
    await this.#controller.submit(text);
  }

  async #command(command: string, depth = 0): Promise<void> {
    const outcome = await this.#controller.request("command.dispatch", {
      command,
      ...this.#controller.where,
    });
    if (outcome.type === "alias" && depth < MOST_ALIASES)
      return await this.#command(`/${outcome.target ?? ""}`, depth + 1);
    await this.#act(outcome);
  }

  async #act({
    type,
    told,
    output = "",
    message = "",
    notice = "",
    session_id,
    exit,
  }: Outcome): Promise<void> {
    // Else an event says it, to all who watch.
    if (told !== true)
      for (const text of [notice, output]) if (text.trim() !== "") this.#controller.note(text);
    if (type === "send" || type === "skill") await this.#controller.submit(message);
    if (type === "prefill") this.#controller.note(`It was: ${message}`);
    if (exit === true && (await this.#mayLeave())) this.#leaving.abort();
    if (exit === true) return;
    if (session_id !== undefined && session_id !== this.#controller.sessionId)
      await this.#controller.resume(session_id);
  }

  /** Half an answer stays on the screen. */
  #lastWordsOfTurn(): void {
    if (this.#shown.session === undefined) return;
    this.#store.dispatch({ type: "leaving", at: Date.now() });
    this.#view.show(this.#shown);
  }

  /** Whether the person leaves: while turns run in this process, they say what becomes of them; so of commands in the background. */
  async #mayLeave(): Promise<boolean> {
    const { local, lines } = this.#options;
    const turns = local.running();
    const commands = local.commands().length;
    if (!lines.isTerminal || turns + commands === 0) return true;
    this.#controller.note(
      turns > 0
        ? "A turn runs here. 1 leaves and lets it go on, 2 stops it and leaves, Enter stays."
        : `${endsWithWindow(commands)} 1 leaves, Enter stays.`,
    );
    lines.prompt("? ");
    const typed = await lines.next(this.#leaving.signal);
    // Ctrl+D once more, or a terminal that is gone.
    if (typed?.type !== "line") return true;
    const choice = typed.text.trim();
    if (turns === 0) return choice === "1";
    if (choice === "2") {
      this.#store.dispatch({ type: "interrupting" });
      await local.stop();
    }
    return choice === "1" || choice === "2";
  }

  /** Prompts can be written while a question is open, too. */
  #prompt(): void {
    const { lines } = this.#options;
    if (this.#answers.isHidden) lines.prompt("unseen: ", { hidden: true });
    else if (this.#shown.session !== undefined && isIdle(this.#shown)) lines.prompt("> ");
  }

  async #interrupt(): Promise<void> {
    if (this.#controller.stopCommand()) return;
    const now = Date.now();
    if (now - this.#interruptedAt < DOUBLE_MS) return this.#leaving.abort();
    this.#interruptedAt = now;
    if (this.#shown.turn === undefined)
      return this.#controller.note("(Ctrl+C once more leaves, so does /quit)");
    const dropped = await this.#controller.interrupt({ keepQueue: false });
    for (const text of dropped) this.#controller.note(`(taken back: ${forTerminal(text)})`);
  }

  /** stdin has ended: what was asked for is still done, but nobody is left to answer questions. */
  async #lastWords(): Promise<PlainEnd> {
    if (this.#options.lines.isTerminal) return "completed";
    const gaveUp = hostQuestions(this.#shown).length > 0;
    if (gaveUp) {
      this.#controller.note("A question is open and the input has ended: the turn is interrupted.", "warn");
      await this.#controller.interrupt({ keepQueue: false });
    }
    await this.#untilAsked();
    return gaveUp ? "failed" : this.#end();
  }

  #end(): PlainEnd {
    const { lastTurn, connection } = this.#shown;
    return lastTurn?.outcome === "error" || connection.status === "closed" ? "failed" : "completed";
  }

  /** Waits until no turn runs, or one waits for an answer. */
  async #untilAsked(): Promise<void> {
    await this.#store.until(({ view }) => isIdle(view), this.#leaving.signal);
  }
}

type Outcome = Result<"command.dispatch">;

function isIdle(view: ViewState): boolean {
  const { turn, sending, queue } = view;
  const questions = hostQuestions(view);
  const busy = turn !== undefined || sending.length > 0 || queue.some(({ held }) => !held);
  return questions.some(({ answering }) => !answering) || (!busy && questions.length === 0);
}
