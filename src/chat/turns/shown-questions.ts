import type { ApprovalRequest, QuestionRequest, QuestionResolved, Session } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { TaskQueue } from "../../shared/async/keyed-queue.ts";
import { defined } from "../../shared/json/defined.ts";
import { type InboxEntry, onceOf, type SentPart, type ShownQuestion } from "../inbox/entry.ts";
import { cardMessage, changeCard } from "./card-message.ts";
import type { ChatParts } from "./chat-parts.ts";
import { askedWords, decidedWords, OVER_WORDS } from "./question-card.ts";

/** A question that somebody in a place may answer now. */
export interface OpenCard {
  readonly request: QuestionRequest;
  readonly session: Session;
}

/** The options of the questions of one turn. */
export interface ShownQuestionsOptions {
  readonly parts: ChatParts;
  readonly entry: InboxEntry;
  readonly session: Session;
  /** The open questions of the place, for those who answer there. */
  readonly open: Map<string, OpenCard>;
  readonly note: (questions: readonly ShownQuestion[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The questions of a turn, as cards in its place. What was decided replaces the buttons. */
export class ShownQuestions {
  readonly #options: ShownQuestionsOptions;
  readonly #requests = new Map<string, QuestionRequest>();
  readonly #work = new TaskQueue();
  #shown: readonly ShownQuestion[];

  constructor(options: ShownQuestionsOptions) {
    this.#options = options;
    this.#shown = options.entry.questions ?? [];
  }

  /** Shows a question. Returns at once. */
  show(request: QuestionRequest): void {
    const { open, session } = this.#options;
    this.#requests.set(request.requestId, request);
    open.set(request.requestId, { request, session });
    if (request.type === "approval.request") this.#run(() => this.#askApprovers(request));
    this.#run(() => this.#send(request));
  }

  /** Shows what was decided. Returns at once. */
  resolve({ requestId, resolution }: QuestionResolved): void {
    const { open, parts } = this.#options;
    const request = this.#requests.get(requestId);
    const nameOf = (client: string): string => parts.names.of(client, parts.platform.name);
    open.delete(requestId);
    if (request !== undefined) this.#run(() => this.#close(request, decidedWords(resolution, nameOf)));
  }

  /** Resolves when all is shown. The place has no open question of this turn any more. */
  async end(): Promise<void> {
    const { open, session } = this.#options;
    for (const [requestId, request] of this.#requests) {
      open.delete(requestId);
      // A conversation that is deleted says nothing of its questions.
      if (session.gone) this.#run(() => this.#close(request, OVER_WORDS));
    }
    await this.#work.idle();
  }

  #run(task: () => Promise<void>): void {
    const { parts, signal } = this.#options;
    this.#work.run(task).catch((thrown: unknown) => {
      // The question is open on all other surfaces.
      if (!signal.aborted) parts.report(toHostError(thrown));
    });
  }

  async #send(request: QuestionRequest): Promise<void> {
    const { parts, entry, signal } = this.#options;
    const { requestId } = request;
    const { place } = entry.event;
    const before = this.#shown.find((each) => each.requestId === requestId);
    if (before?.over === true) return;
    const note = (part: SentPart): Promise<void> => this.#note({ requestId, part });
    const draft = { place, ...cardMessage(request, parts.platform), once: onceOf(entry, requestId) };
    await parts.sender.send(draft, { ...defined({ before: before?.part }), note }, signal);
  }

  async #askApprovers(request: ApprovalRequest): Promise<void> {
    const { parts, entry, session } = this.#options;
    const { platform } = parts;
    const { place } = entry.event;
    const origin = askedWords(platform.title, entry.event);
    await parts.askApprovers({ request, sessionId: session.id, platform: platform.name, place, origin });
  }

  async #close(request: QuestionRequest, words: string): Promise<void> {
    const { parts, entry, signal } = this.#options;
    const { requestId } = request;
    const { place } = entry.event;
    const shown = this.#shown.find((each) => each.requestId === requestId);
    const { messageId, mark } = shown?.part ?? {};
    if (shown === undefined || messageId === undefined || shown.over === true) return;
    const card = cardMessage(request, parts.platform, { below: words });
    await changeCard(parts, { place, messageId, card, ...defined({ mark }) }, signal);
    await this.#note({ ...shown, over: true });
  }

  async #note(question: ShownQuestion): Promise<void> {
    const others = this.#shown.filter(({ requestId }) => requestId !== question.requestId);
    this.#shown = [...others, question];
    await this.#options.note(this.#shown);
  }
}
