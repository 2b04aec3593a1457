import { type DurableEvent, isQuestion, personName, type Usage } from "../../../core/index.ts";
import { originWords } from "../../../shared/text/origin-words.ts";

/** The events that say what was used. */
export const USED_IN: readonly DurableEvent["type"][] = [
  "session.start",
  "session.branch",
  "session.import",
  "turn.start",
  "reply.complete",
  "history.compress",
  "history.compress_failed",
  "approval.request",
  "approval.resolved",
  "clarify.request",
  "clarify.resolved",
  "sudo.request",
  "sudo.resolved",
  "secret.request",
  "secret.resolved",
  "turn.end",
];

/** Months begin at a quarter of an hour, in whatever zone. */
export const QUARTER_MS = 900_000;

/** The place of a row in a session's log. */
export interface UsageRow {
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The source of a session's work. */
export interface UsedSession {
  readonly surface: string;
  readonly folder: string;
  /** The id of the session that a subagent's works for. */
  readonly parent: string | undefined;
}

/** The usage of one model in a turn. */
export interface ModelUsage {
  readonly model: string;
  /** 1 in the row that counts the turn itself, which stands first. */
  readonly turns: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cost: number;
  readonly unpriced: number;
}

/** A turn with what it used. */
export interface UsedTurn extends UsageRow {
  readonly person: string;
  readonly persona: string;
  /** Milliseconds that it waited for people, and that its answer took beside those. */
  readonly waited: number;
  readonly took?: number;
  readonly isOver: boolean;
  readonly models: readonly ModelUsage[];
}

/** A question that somebody was asked. */
export interface UsedQuestion extends UsageRow {
  readonly request: string;
  /** Milliseconds until it was answered. */
  readonly took?: number;
}

/** The stored usage of a session, as far as what follows depends on it. */
export interface KnownUsage {
  readonly session?: UsedSession;
  /** The newest one. */
  readonly turn?: UsedTurn;
  /** Those without an answer. */
  readonly questions: readonly UsedQuestion[];
}

const NOTHING = { calls: 0, input: 0, output: 0, reasoning: 0, cacheRead: 0, cost: 0, unpriced: 0 };

/** A fold of a session's log, row by row in its order, into what was used there; it tells what has changed. */
export class UsageFold {
  #session: UsedSession | undefined;
  #turn: UsedTurn | undefined;
  #questions: Map<string, UsedQuestion>;
  #isNewSession = false;
  #forgets = false;
  readonly #changedTurns = new Map<number, UsedTurn>();
  readonly #changedQuestions = new Map<string, UsedQuestion>();

  constructor({ session, turn, questions }: KnownUsage) {
    this.#session = session;
    this.#turn = turn;
    this.#questions = new Map(questions.map((question) => [question.request, question]));
  }

  /** The session, when it has changed. */
  get session(): UsedSession | undefined {
    return this.#isNewSession ? this.#session : undefined;
  }

  /** What was stored of turns and questions is another session's. */
  get forgets(): boolean {
    return this.#forgets;
  }

  get turns(): readonly UsedTurn[] {
    return [...this.#changedTurns.values()];
  }

  get questions(): readonly UsedQuestion[] {
    return [...this.#changedQuestions.values()];
  }

  take(row: UsageRow, event: DurableEvent): void {
    if (isQuestion(event)) return this.#ask(row, event.requestId);
    switch (event.type) {
      case "session.start":
        return this.#begin(event);
      case "session.branch":
        // A person's own session, whoever's the first one was.
        if (this.#session !== undefined) this.#setSession({ ...this.#session, parent: undefined });
        return this.#forget();
      case "session.import":
        return this.#forget();
      case "turn.start":
        return this.#startTurn(row, event);
      case "reply.complete":
        return this.#use(row, event.usage, `${event.provider}:${event.model}`);
      case "history.compress":
      case "history.compress_failed":
        return this.#use(row, event.usage, this.#turn?.models[0]?.model ?? "");
      case "approval.resolved":
      case "clarify.resolved":
      case "sudo.resolved":
      case "secret.resolved":
        return this.#resolve(row, event.requestId, event.resolution.outcome === "answered");
      case "turn.end":
        return this.#endTurn(row, event.outcome === "completed");
      default:
    }
  }

  #setSession(session: UsedSession): void {
    this.#session = session;
    this.#isNewSession = true;
  }

  #setTurn(turn: UsedTurn): void {
    this.#turn = turn;
    this.#changedTurns.set(turn.seq, turn);
  }

  #forget(): void {
    this.#turn = undefined;
    this.#questions = new Map();
    this.#forgets = true;
    this.#changedTurns.clear();
    this.#changedQuestions.clear();
  }

  #begin(start: Extract<DurableEvent, { type: "session.start" }>): void {
    const parent = (start.depth ?? 0) > 0 ? (start.parentId ?? "") : undefined;
    this.#setSession({ surface: originWords(start), folder: start.cwd, parent });
  }

  /** A subagent's session: its turns and questions are part of another's. */
  get #isChild(): boolean {
    return this.#session?.parent !== undefined;
  }

  #startTurn(
    { at, seq }: UsageRow,
    { prompt, persona }: Extract<DurableEvent, { type: "turn.start" }>,
  ): void {
    const by = { person: personName(prompt), persona: persona?.name ?? "" };
    const models = [{ model: "", turns: this.#isChild ? 0 : 1, ...NOTHING }];
    this.#setTurn({ at, seq, ...by, waited: 0, isOver: false, models });
  }

  #use({ at, seq }: UsageRow, usage: Usage, model: string): void {
    const last = this.#turn;
    const turn: UsedTurn =
      last === undefined || last.isOver
        ? {
            at,
            seq,
            person: last?.person ?? "",
            persona: last?.persona ?? "",
            waited: 0,
            isOver: false,
            models: [],
          }
        : last;
    const { calls, input, output, reasoning, cacheRead, cost } = usage;
    const more = { calls, input, output, reasoning, cacheRead, cost: cost ?? 0 };
    const named = turn.models.map((each) => (each.model === "" ? { ...each, model } : each));
    const known = named.find((each) => each.model === model);
    const sum = added(known ?? { model, turns: 0, ...NOTHING }, {
      ...more,
      unpriced: cost === undefined ? calls : 0,
    });
    const models = known === undefined ? [...named, sum] : named.map((each) => (each === known ? sum : each));
    this.#setTurn({ ...turn, models });
  }

  #ask({ at, seq }: UsageRow, request: string): void {
    if (!this.#isChild) this.#setQuestion({ at, seq, request });
  }

  #setQuestion(question: UsedQuestion): void {
    this.#questions.set(question.request, question);
    this.#changedQuestions.set(question.request, question);
  }

  #resolve({ at }: UsageRow, request: string, isAnswered: boolean): void {
    const asked = this.#questions.get(request);
    if (asked === undefined) return;
    const took = Math.max(0, at - asked.at);
    if (isAnswered) this.#setQuestion({ ...asked, took });
    const turn = this.#turn;
    if (turn !== undefined && !turn.isOver) this.#setTurn({ ...turn, waited: turn.waited + took });
  }

  #endTurn({ at }: UsageRow, isAnswered: boolean): void {
    const turn = this.#turn;
    if (turn === undefined || turn.isOver) return;
    const took = Math.max(0, at - turn.at - turn.waited);
    this.#setTurn({ ...turn, isOver: true, ...(isAnswered && { took }) });
  }
}

const added = (usage: ModelUsage, more: Omit<ModelUsage, "model" | "turns">): ModelUsage => ({
  ...usage,
  calls: usage.calls + more.calls,
  input: usage.input + more.input,
  output: usage.output + more.output,
  reasoning: usage.reasoning + more.reasoning,
  cacheRead: usage.cacheRead + more.cacheRead,
  cost: usage.cost + more.cost,
  unpriced: usage.unpriced + more.unpriced,
});
