import { defined } from "../shared/json/defined.ts";
import { type ContextPart, contextParts } from "./session/context-parts.ts";
import { readOnce } from "../shared/async/read-once.ts";
import type { Attachment } from "./ports/attachment.ts";
import { promptText } from "./events/content.ts";
import { HostError } from "../shared/errors/host-error.ts";
import { checkTitle } from "./turn/title.ts";
import type { Row, SessionEvent, SettingsPatch } from "./events/events.ts";
import type { Origin } from "./events/prompt.ts";
import type { Resolution } from "./events/question-events.ts";
import { type AnswerInput, findQuestion } from "./questions/answer-question.ts";
import { rulesOf } from "./questions/approvals.ts";
import type { Interrupted } from "./session/prompt-operations.ts";
import { type FirstSubmission, NOBODY, submitPrompt, takeBack } from "./session/submission.ts";
import type { PageOptions, ReadOptions } from "./log/reader.ts";
import type { Listener } from "../shared/async/signal.ts";
import { type LogTail, logTail } from "./log/log-tail.ts";
import { seal } from "../shared/crypto/sealed-secret.ts";
import { type Compression, compressSession } from "./session/compress-session.ts";
import type { NoteName, OperationInput } from "./session/operations.ts";
import { readSession, readSessionPages } from "./session/read-session.ts";
import type { SessionActor } from "./session/session-actor.ts";
import type { OpenQuestion, SessionState } from "./state/state.ts";
import { withHome } from "./session/home-machine.ts";
import type { Turn } from "./session/turn-handle.ts";
import type { PastPrompt } from "./conversation/past-prompts.ts";
import {
  type Checkpoint,
  checkpointDiff,
  listCheckpoints,
  previewRewind,
  type RewindWish,
  type Rewound,
  rewindTo,
  type TurnChoice,
} from "./session/rewind.ts";
import { nothingToUndo, promptsOf, takeBackTurns } from "./session/take-back.ts";

/**
 * An answer to an open question: a choice for approvals, with a note for the model if wanted; text for all others, or
 * the word that there will be none.
 */
export type QuestionAnswer = Exclude<AnswerInput, { readonly sealed: unknown }>;

/**
 * A conversation. Every change of it becomes rows of its log, in whichever process; surfaces read them.
 * Made by `Host.open` and `Host.session`; several objects may stand for one session.
 */
export class Session {
  readonly id: string;
  readonly #actor: SessionActor;

  constructor(actor: SessionActor) {
    this.id = actor.id;
    this.#actor = actor;
  }

  /** The newest state that this process knows; `refresh` asks the store. */
  get state(): SessionState {
    return this.#actor.log.state;
  }

  /** The cursor of the newest event. */
  get cursor(): number {
    return this.#actor.log.cursor;
  }

  /** The session was deleted: whatever is asked of it fails, also when another one has its id by now. */
  get gone(): boolean {
    return this.#actor.log.gone;
  }

  /** A turn of this session runs in this process. */
  get driving(): boolean {
    return this.#actor.driving;
  }

  /** Brings `state` up to date with what other processes appended. */
  refresh(): Promise<SessionState> {
    return this.#actor.refresh();
  }

  /**
   * Sends a prompt. Returns at once; the turn says what became of it.
   *
   * @throws HostError `invalid_params` when there is nothing in it
   */
  submit(submission: FirstSubmission): Turn {
    return submitPrompt(this.#actor, submission, (options) => this.events(options));
  }

  /** Adds text to the running turn, delivered with its next tool results. `false` when no turn runs. */
  async steer(text: string, from: Origin = NOBODY): Promise<boolean> {
    if (text.trim() === "") throw new HostError("invalid_params", "The steering text is empty.");
    const { accepted } = await this.#actor.run("steer", { steerId: this.#newId("steer"), text, from });
    return accepted;
  }

  /**
   * Stops one prompt wherever it is: it is taken out of the queue, or its turn is interrupted; a no-op when it is over.
   */
  async stop(promptId: string, from: Origin = NOBODY): Promise<void> {
    await takeBack(this.#actor, { id: promptId, from });
  }

  /** Stops the running turn; a no-op when none runs. What the same client had queued is taken back. */
  interrupt({ from = NOBODY, keepQueue = false, attended }: InterruptOptions = {}): Promise<Interrupted> {
    const turnId = this.#newId("turn");
    return this.#actor.run("interrupt", { from, keepQueue, turnId, ...defined({ attended }) });
  }

  /**
   * Answers an open question. The first valid answer counts.
   *
   * @throws HostError `question_not_pending` when it is over, saying how; `answer_invalid`
   */
  async answer(requestId: string, answer: QuestionAnswer, from: Origin = NOBODY): Promise<Resolution> {
    const find = (state: SessionState) => findQuestion(state, requestId)?.request;
    const request = find(this.state) ?? find(await this.refresh());
    const secret = request?.type === "sudo.request" || request?.type === "secret.request";
    // Only the process that asked can read a secret answer, whichever way it takes.
    const words = "declined" in answer ? "" : (answer.text ?? "");
    const sealed: AnswerInput = secret ? { sealed: seal(words, request.publicKey) } : answer;
    const resolution = await this.#actor.run("answer", { requestId, answer: sealed, from });
    const always = resolution.outcome === "answered" && resolution.choice === "always";
    if (always && request?.type === "approval.request")
      await this.#actor.services.rememberPatterns(rulesOf(request, resolution.scope));
    return resolution;
  }

  /**
   * Brings a client's files, terminals and tools to the session, for turns that run in this process, until the
   * returned function is called.
   */
  attach(attachment: Attachment): () => void {
    const detach = this.#actor.preamble.attachments.add(attachment);
    const leave = this.#actor.follow();
    return () => {
      detach();
      leave();
    };
  }

  /** The open questions, oldest first; asking for them counts as seeing them. */
  questions(): readonly OpenQuestion[] {
    const { questions } = this.state;
    for (const { request } of questions) this.#actor.seen(request.requestId);
    return questions;
  }

  /** Takes queued prompts back; gives their texts. */
  async drop(promptIds: readonly string[]): Promise<readonly string[]> {
    return (await this.#actor.run("drop", { promptIds })).dropped;
  }

  /** Lets prompts run that are held, since a crash or for want of a budget. */
  async confirm(promptIds: readonly string[]): Promise<void> {
    await this.#actor.run("confirm", { promptIds, turnId: this.#newId("turn") });
  }

  /** Notes what happened beside the turns: a command began or ended, the steps were put away, rules taken back. */
  readonly note = <K extends NoteName>(kind: K, input: OperationInput<K>) => this.#actor.run(kind, input);

  /** Other sessions may have the same title. @throws HostError `invalid_title` */
  async setTitle(title: string): Promise<string> {
    return (await this.#actor.run("title", { title: checkTitle(title) })).title;
  }

  /** Gives the session to a user unless it is somebody's already; tells whose it is. */
  async giveTo(user: string): Promise<string> {
    return (await this.#actor.run("user", { user })).user;
  }

  /** Takes the title away. */
  async clearTitle(): Promise<void> {
    await this.#actor.run("title", { title: "" });
  }

  /** Changes settings. Nothing of it is checked: a caller that takes a model's name from outside resolves it first. */
  async set(patch: SettingsPatch): Promise<void> {
    await this.#actor.run("settings", { patch: withHome(patch, this.#actor.services.machines) });
  }

  /** The newest prompts that no undo took away, newest first, at most `count`. */
  async pastPrompts(count: number): Promise<readonly PastPrompt[]> {
    return await promptsOf(this.#actor, await this.refresh(), count);
  }

  /**
   * Takes the newest turns out of the conversation; the log keeps them. Gives their prompts, oldest first.
   *
   * @throws HostError `session_busy` while a turn runs, `nothing_to_undo`
   */
  async undo(turns = 1): Promise<readonly string[]> {
    const { prompts } = await takeBackTurns(this.#actor, async (state) => {
      const found = await promptsOf(this.#actor, state, turns);
      if (found.length === 0) throw nothingToUndo();
      return { prompts: found };
    });
    return prompts.map(({ prompt }) => promptText(prompt.parts)).toReversed();
  }

  /** The turns that can be gone back to, the oldest first, with the files that each changed. */
  checkpoints(): Promise<readonly Checkpoint[]> {
    return listCheckpoints(this.#actor);
  }

  /** A unified diff of what a turn did to files, at most `limit` characters. @throws HostError `not_found` */
  checkpointDiff(turn: TurnChoice, limit?: number): Promise<string> {
    return checkpointDiff(this.#actor, turn, limit);
  }

  /** What `rewind` would do, without doing it. @throws HostError `not_found` */
  previewRewind(wish: RewindWish): Promise<Rewound> {
    return previewRewind(this.#actor, wish);
  }

  /**
   * Goes back to before a turn: with the conversation, whose log keeps what came of it, with the files, or with both. What
   * somebody else changed meanwhile stays and is named, unless it is asked for.
   *
   * @throws HostError `session_busy` while a turn runs, `not_found`, `nothing_to_undo`
   */
  rewind(wish: RewindWish): Promise<Rewound> {
    return rewindTo(this.#actor, wish);
  }

  /**
   * Replaces the older part of the conversation by a summary in what models get; the log stays as it is.
   *
   * @param focus - what the summary must not lose
   * @throws HostError `session_busy` while a turn runs, `model_*`, `provider_*`
   */
  compress(options: { readonly focus?: string; readonly signal: AbortSignal }): Promise<Compression> {
    return compressSession(this.#actor, options);
  }

  /** Marks the session as ended; a later turn opens it again. */
  async end(reason: string): Promise<void> {
    await this.#actor.run("end", { reason });
  }

  /** The system prompt as the next request would have it. */
  systemPrompt(): Promise<string> {
    return this.#actor.preamble.system();
  }

  /** What the next request is made of, and the tokens that each part takes, estimated. */
  contextParts(): Promise<readonly ContextPart[]> {
    return contextParts(this.#actor);
  }

  /** The session's events from any position, for one loop. */
  events(options: ReadOptions = {}): AsyncGenerator<SessionEvent, void> {
    return readOnce(readSession(this.#actor, options));
  }

  /** The session's events that are there already, page by page, for one loop. */
  pages(options: PageOptions = {}): AsyncGenerator<readonly SessionEvent[], void> {
    return readOnce(readSessionPages(this.#actor, options));
  }

  /** Keeps all rows of the session, which were just read, for a minute: a turn is likely to follow. */
  keepRows(rows: readonly Row[]): void {
    this.#actor.log.keepRows(rows);
  }

  /** What follows a cursor, from the memory of the process that drives the session; `undefined` in any other. */
  tail(after: number): LogTail | undefined {
    return logTail(this.#actor.log, after);
  }

  /** A listener to all changes that readers may see, until `signal` aborts. */
  listen(signal: AbortSignal): Listener {
    return this.#actor.log.listen(signal);
  }

  /** Rows in `(after, to]`, for those who project the log. */
  rows(after: number, to: number): Promise<readonly Row[]> {
    return this.#actor.log.rows(after, to);
  }

  #newId(prefix: string): string {
    return `${prefix}_${this.#actor.services.hex(8)}`;
  }
}

/** The options of an interruption. */
export interface InterruptOptions {
  readonly from?: Origin;
  /** The person at a terminal stops it: what was queued at any terminal is taken back. */
  readonly attended?: true | undefined;
  /** Leave what is queued. */
  readonly keepQueue?: boolean;
}
