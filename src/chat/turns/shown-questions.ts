import type { QuestionRequest, QuestionResolved, Session } from "../../core/index.ts";
import { markdownParts } from "../../providers/delivery/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { TaskQueue } from "../../shared/async/keyed-queue.ts";
import { defined } from "../../shared/json/defined.ts";
import { type InboxEntry, onceOf, type SentPart, type ShownQuestion } from "../inbox/entry.ts";
import { MARK_ROOM, marked } from "../sending/message-sender.ts";
import type { ChatParts } from "./chat-parts.ts";
import { decidedWords, questionCard } from "./question-card.ts";

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
  readonly nameOf: (client: string) => string;
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
    this.#run(() => this.#send(request));
  }

  /** Shows what was decided. Returns at once. */
  resolve({ requestId, resolution }: QuestionResolved): void {
    const { open, nameOf } = this.#options;
    const request = this.#requests.get(requestId);
    open.delete(requestId);
    if (request !== undefined) this.#run(() => this.#close(request, decidedWords(resolution, nameOf)));
  }

  /** Resolves when all is shown. The place has no open question of this turn any more. */
  async end(): Promise<void> {
    for (const requestId of this.#requests.keys()) this.#options.open.delete(requestId);
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
    const { buttons, ...text } = this.#card(request);
    const note = (part: SentPart): Promise<void> => this.#note({ requestId, part });
    const draft = { place, ...text, once: onceOf(entry, requestId), buttons };
    await parts.sender.send(draft, { ...defined({ before: before?.part }), note }, signal);
  }

  async #close(request: QuestionRequest, words: string): Promise<void> {
    const { parts, entry, signal } = this.#options;
    const { requestId } = request;
    const { place } = entry.event;
    const shown = this.#shown.find((each) => each.requestId === requestId);
    const { messageId, mark } = shown?.part ?? {};
    if (shown === undefined || messageId === undefined || shown.over === true) return;
    const { text, source } = this.#card(request, words);
    const edit = { place, messageId, text: marked(mark, text), source: marked(mark, source) };
    const { channel, sender } = parts;
    if (channel.edit !== undefined)
      await sender.repeat(place, signal, async () => await channel.edit?.(edit, signal));
    await this.#note({ ...shown, over: true });
  }

  /** The card in the platform's way; of a long one the first message. */
  #card(request: QuestionRequest, words = "") {
    const { limits, capabilities } = this.#options.parts.platform;
    const card = questionCard(request, capabilities.buttons);
    const source = words === "" ? card.text : `${card.text}\n\n${words}`;
    const [part] = markdownParts(source, { ...limits, limit: limits.limit - MARK_ROOM });
    const { text, plain } = part ?? { text: source, plain: source };
    return { text, plain, source, buttons: words === "" ? card.buttons : [] };
  }

  async #note(question: ShownQuestion): Promise<void> {
    const others = this.#shown.filter(({ requestId }) => requestId !== question.requestId);
    this.#shown = [...others, question];
    await this.#options.note(this.#shown);
  }
}
