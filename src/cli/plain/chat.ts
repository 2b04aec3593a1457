import {
  type CommandOutcome,
  HostError,
  isSlashCommand,
  readTranscript,
  type Session,
  type SessionEvent,
  SlashCommands,
  toHostError,
} from "../../core/index.ts";
import { forTerminal } from "../../tui/terminal-text.ts";
import type { Agent } from "../compose.ts";
import { EXIT, type Io } from "../io.ts";
import { EventPrinter } from "./event-printer.ts";
import { LineInput } from "./line-input.ts";
import { answerTo, questionText } from "./question-lines.ts";
import { entryText } from "./transcript-text.ts";

/** Of a session that goes on, so much of its end is shown. */
const SHOWN_ENTRIES = 6;
/** Two Ctrl+C within this leave. */
const DOUBLE_MS = 1000;

/** The chat in plain lines: what is typed while a turn runs answers its question, or is queued. */
export class PlainChat {
  readonly #io: Io;
  readonly #agent: Agent;
  readonly #commands: SlashCommands;
  readonly #input: LineInput;
  readonly #printer: EventPrinter;
  readonly #leave = new AbortController();
  #session: Session;
  #watching = new AbortController();
  #interruptedAt = -Infinity;

  constructor(io: Io, agent: Agent, session: Session) {
    this.#io = io;
    this.#agent = agent;
    this.#commands = new SlashCommands(() => agent.commands());
    this.#session = session;
    this.#input = new LineInput(io, io.stdout);
    this.#printer = new EventPrinter((text) => this.#input.print(text));
  }

  /** Runs until the person leaves or stdin ends and the last turn is over. Gives the exit code. */
  async run(): Promise<number> {
    using closing = new DisposableStack();
    closing.use(this.#input);
    const { signal } = this.#leave;
    const stop = (): void => this.#leave.abort();
    const unlisten = [this.#io.onSignal("SIGTERM", stop), this.#io.onSignal("SIGHUP", stop)];
    await this.#introduce();
    this.#watch();
    try {
      for (;;) {
        this.#prompt();
        // Lines from a pipe are all there at once: each waits for its turn, so that it can be an answer too.
        if (this.#io.stdin.isTTY !== true) await this.#untilAsked();
        const typed = await this.#input.next(signal);
        if (typed === undefined) return EXIT.completed;
        if (typed.type === "end") return await this.#lastWords();
        if (typed.type === "interrupt") await this.#interrupt();
        else await this.#line(typed.text).catch((thrown: unknown) => this.#complain(thrown));
      }
    } finally {
      this.#watching.abort();
      for (const off of unlisten) off();
    }
  }

  async #line(text: string): Promise<void> {
    const [question] = this.#session.questions();
    if (question !== undefined && !isSlashCommand(text)) {
      const answer = answerTo(question.request, text);
      if (answer === undefined) return this.#printer.line("Please type one of the numbers.");
      await this.#session.answer(question.request.requestId, answer, this.#from);
      return;
    }
    if (text.trim() === "") return;
    if (isSlashCommand(text)) return await this.#command(text);
    await this.#submit(text);
  }

  async #command(text: string): Promise<void> {
    const { cwd } = this.#io;
    this.#act(
      await this.#commands.dispatch(text, {
        host: this.#agent.host,
        session: this.#session,
        from: this.#from,
        workspace: { cwd, roots: [cwd] },
        signal: this.#leave.signal,
        stopProcesses: (sessionId) => this.#agent.stopProcesses(sessionId),
      }),
    );
  }

  #act(outcome: CommandOutcome): void {
    switch (outcome.type) {
      case "done":
        return this.#printer.line(forTerminal(outcome.output));
      case "send":
        if (outcome.notice !== undefined) this.#printer.line(outcome.notice);
        void this.#submit(outcome.message).catch((thrown: unknown) => this.#complain(thrown));
        return;
      case "prefill":
        if (outcome.notice !== undefined) this.#printer.line(outcome.notice);
        return this.#printer.line(`It was: ${forTerminal(outcome.message)}`);
      case "switch":
        this.#printer.line(outcome.output);
        void this.#switch(outcome.sessionId).catch((thrown: unknown) => this.#complain(thrown));
        return;
      case "quit":
        return this.#leave.abort();
    }
  }

  async #submit(text: string): Promise<void> {
    const { status, position } = await this.#session.submit({ text, from: this.#from }).accepted;
    if (status === "queued") this.#printer.line(`(queued, ${position} before it)`);
  }

  async #switch(id: string): Promise<void> {
    this.#session = await this.#agent.host.session(id);
    this.#watching.abort();
    await this.#introduce();
    this.#watch();
  }

  /** Shows where a session stands that was there before: its last words, and what it waits for. */
  async #introduce(): Promise<void> {
    const session = this.#session;
    await session.refresh();
    const { entries } = await readTranscript(this.#agent.host.services.store, session, {
      limit: SHOWN_ENTRIES,
    });
    for (const entry of entries) this.#printer.line(entryText(entry).trim());
    for (const { request } of session.questions()) this.#printer.line(questionText(request));
    const held = session.state.queue.filter((queued) => queued.held).length;
    if (held > 0) this.#printer.line(`(${held} prompts wait since before a crash: /confirm runs them)`);
  }

  /** Prints the session's events from now on, whoever causes them. */
  #watch(): void {
    this.#watching = new AbortController();
    const { signal } = this.#watching;
    const session = this.#session;
    const printing = async (): Promise<void> => {
      for await (const event of session.events({ after: session.cursor, signal })) this.#show(event);
    };
    printing().catch((thrown: unknown) => this.#complain(thrown));
  }

  #show(event: SessionEvent): void {
    this.#printer.print(event);
    if (isQuestion(event)) {
      this.#printer.line(questionText(event));
      this.#prompt();
    }
    if ("resolution" in event && event.resolution.outcome === "expired")
      this.#printer.line("(nobody answered in time)");
    if (event.type === "turn.end") this.#prompt();
  }

  #prompt(): void {
    const [question] = this.#session.state.questions;
    const secret = question?.request.type === "sudo.request" || question?.request.type === "secret.request";
    if (question !== undefined) this.#input.prompt("? ", { hidden: secret });
    else if (this.#session.state.turn === undefined) this.#input.prompt("> ");
  }

  async #interrupt(): Promise<void> {
    const now = this.#agent.host.services.clock.monotonic();
    if (now - this.#interruptedAt < DOUBLE_MS) return this.#leave.abort();
    this.#interruptedAt = now;
    const { interrupted, dropped } = await this.#session.interrupt({ from: this.#from });
    for (const text of dropped) this.#printer.line(`(taken back: ${forTerminal(text)})`);
    if (!interrupted) this.#printer.line("(Ctrl+C once more leaves, so does /quit)");
  }

  /** stdin has ended: what was asked for is still done, but nobody is left to answer questions. */
  async #lastWords(): Promise<number> {
    if (this.#io.stdin.isTTY === true) return EXIT.completed;
    if (this.#session.state.questions.length > 0) {
      this.#printer.line("! A question is open and the input has ended: the turn is interrupted.");
      await this.#session.interrupt({ from: this.#from });
    }
    await this.#untilAsked();
    return this.#session.state.lastTurn?.outcome === "failed" ? EXIT.failed : EXIT.completed;
  }

  /** Waits until no turn runs, or one waits for an answer. */
  async #untilAsked(): Promise<void> {
    const { signal } = this.#leave;
    const busy = (): boolean =>
      this.#session.state.turn !== undefined && this.#session.state.questions.length === 0;
    while (busy() && !signal.aborted) {
      for await (const event of this.#session.events({ after: this.#session.cursor, signal, live: false })) {
        if (event.type === "turn.end" || isQuestion(event)) break;
      }
    }
  }

  #complain(thrown: unknown): void {
    this.#printer.line(`! ${forTerminal(toHostError(thrown).message)}`);
    if (!(thrown instanceof HostError)) throw thrown;
  }

  get #from() {
    return { surface: "cli", client: String(this.#io.pid) };
  }
}

const isQuestion = (event: SessionEvent): event is Extract<SessionEvent, { type: `${string}.request` }> =>
  event.type.endsWith(".request");
