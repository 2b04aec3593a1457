import type { HandedFile } from "../../core/index.ts";
import { TaskQueue } from "../../shared/async/keyed-queue.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { deliveryIdOf, type InboxEntry, onceOf, type SentPart } from "../inbox/entry.ts";
import type { IncomingMessage } from "../port/incoming.ts";
import { captionParts } from "../sending/captions.ts";
import { LiveAnswer } from "../sending/live-answer.ts";
import type { ChatParts, LateText } from "./chat-parts.ts";
import { untilStored } from "./until-stored.ts";
import { inBrackets } from "./words.ts";

/** The options of an answer. */
export interface ChatAnswerOptions {
  readonly parts: ChatParts;
  /** The answered message, as it is now. */
  readonly entry: () => InboxEntry;
  /** Notes what has become of the answer; durable when it resolves. */
  readonly note: (change: (now: InboxEntry) => Pick<InboxEntry, "parts" | "late">) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * An answer as its place sees it: a text that grows, below it the files that were handed over then, below them the text that
 * came after. Done again by another process it is the same messages.
 */
export class ChatAnswer implements AsyncDisposable {
  readonly #options: ChatAnswerOptions;
  readonly #work = new TaskQueue();
  /** All that was said, and where of it the newest section begins: behind the newest file. */
  #text = "";
  #start = 0;
  /** The section that is shown. A newer one begins when the files before it are sent. */
  #live: LiveAnswer;
  #section = 0;
  #newest = 0;
  /** Why files are not there, for the one who asked. */
  #lost: string[] = [];
  /** The first reason why something could not be sent. */
  #unsent: string | undefined;
  /** Nothing that was said before in the place is still to come; known once the look for it is over. */
  #mayShow = false;
  #looking: Promise<void>;
  /** This process ends. */
  #ended: { readonly cause: unknown } | undefined;
  #isDisposed = false;

  constructor(options: ChatAnswerOptions) {
    this.#options = options;
    this.#live = this.#open();
    this.#looking = this.#lookAhead();
  }

  /** The newest text, from its beginning. Returns at once. */
  show(text: string): void {
    this.#text = text;
    this.#showRest();
  }

  /** Sends files below what was said so far. Returns at once. */
  hand(callId: string, files: readonly HandedFile[]): void {
    const above = this.#rest();
    this.#start = this.#text.length;
    this.#newest += 1;
    this.#work
      .run(async () => {
        await this.#finishSection(above);
        for (const [index, file] of files.entries()) await this.#send(file, `${callId}:${index}`);
        if (this.#isDisposed) return;
        await this.#live[Symbol.asyncDispose]();
        this.#section += 1;
        this.#mayShow = false;
        this.#live = this.#open();
        this.#looking = this.#lookAhead();
        await this.#looking;
      })
      .catch((cause: unknown) => (this.#ended ??= { cause }));
  }

  /**
   * Says the whole text; what cannot be sent now goes to the outbox. Gives why, when something could not be sent. Rejects only when
   * this process ends.
   */
  async finish(text: string): Promise<string | undefined> {
    this.#text = text;
    await this.#work.idle();
    if (this.#ended !== undefined) throw this.#ended.cause;
    await this.#finishSection(this.#rest());
    return this.#unsent;
  }

  /** Shows nothing more; when it resolves nothing of it is on its way, and what is there is noted. */
  async stop(): Promise<void> {
    this.#isDisposed = true;
    await this.#work.idle();
    await this.#live.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#live[Symbol.asyncDispose]();
  }

  /** Shows nothing before it is known that nothing has to come first; what cannot be known now is asked again in the end. */
  async #lookAhead(): Promise<void> {
    const { parts, entry } = this.#options;
    this.#mayShow = !(await parts.isHeldUp(entry()).catch(() => true));
    if (!this.#isDisposed) this.#showRest();
  }

  /** Whether all of this has to go by the outbox, for something before it does. */
  async #isHeldUp(): Promise<boolean> {
    const { parts, entry, signal } = this.#options;
    return await untilStored(parts, signal, () => parts.isHeldUp(entry()));
  }

  /** Shows the newest section, unless files are sent before it still, or the outbox has it, or what has to come first. */
  #showRest(): void {
    if (!this.#mayShow) return;
    if (this.#section === this.#newest && !this.#isLate(this.#sectionId()))
      this.#live.show(this.#withLost(this.#rest()));
  }

  #sectionId(): string {
    return deliveryIdOf(this.#options.entry(), sectionName(this.#section));
  }

  #rest(): string {
    const rest = this.#text.slice(this.#start);
    return this.#start === 0 ? rest : rest.trimStart();
  }

  /** A section begins with what of the files above it is not there. */
  #withLost(said: string): string {
    return [inBrackets(this.#lost), said].filter((each) => each.trim() !== "").join("\n\n");
  }

  #open(): LiveAnswer {
    const { parts, entry, note, signal } = this.#options;
    const { place, messageId } = entry().event as IncomingMessage;
    const section = this.#section;
    const isOwn = (part: SentPart): boolean => isOf(part, section);
    const isAnswer = section === 0 && place.kind === "channel";
    return new LiveAnswer({
      ...parts,
      place,
      ...defined({ replyTo: isAnswer ? messageId : undefined }),
      before: (entry().parts ?? []).filter(isOwn),
      onceOf: (index) => onceOf(entry(), index, sectionName(section)),
      note: (own) =>
        note(({ parts: all = [] }) => ({
          parts: [
            ...all.filter((part) => !isOwn(part)),
            ...own.map((part) => (section === 0 ? part : { ...part, section })),
          ],
        })),
      signal,
    });
  }

  async #finishSection(said: string): Promise<void> {
    const { signal } = this.#options;
    const text = this.#withLost(said);
    this.#lost = [];
    const id = this.#sectionId();
    if (text === "" || this.#isLate(id)) return;
    await this.#looking;
    const isShown = this.#options.entry().parts?.some((part) => isOf(part, this.#section)) === true;
    if (!this.#mayShow && !isShown && (await this.#isHeldUp()))
      return await this.#sendLater({ id, text, partsSent: 0, uncertain: false });
    try {
      await this.#live.finish(text);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const { message, details } = toHostError(thrown);
      const { partsSent = 0, uncertain } = details;
      this.#unsent ??= message;
      const again = this.#live.saidAgain(text, partsSent);
      if (again === "") return;
      // A message of its own: under the id of the one that is there some platforms would not take it.
      const late =
        again === undefined
          ? { id, text, partsSent, uncertain: uncertain === true }
          : { id: `${id}:again`, text: again, partsSent: 0, uncertain: false };
      await this.#sendLater(late, id);
    }
  }

  #isLate(id: string): boolean {
    return this.#options.entry().late?.includes(id) === true;
  }

  /** @param of - the id of what is late, when it goes under another one */
  async #sendLater(late: Omit<LateText, "entry">, of = late.id): Promise<void> {
    const { parts, entry, note, signal } = this.#options;
    await untilStored(parts, signal, () => parts.sendLater({ ...late, entry: entry() }));
    await note((now) => ({ late: [...new Set([...(now.late ?? []), of])] }));
  }

  /** Sends a file once, however often this is done. */
  async #send(handed: HandedFile, key: string): Promise<void> {
    const { parts, entry, note, signal } = this.#options;
    const { blob, name, mediaType, caption = "" } = handed;
    const { place } = entry().event;
    const of = `file:${key}`;
    const id = deliveryIdOf(entry(), of);
    const once = onceOf(entry(), 0, of);
    const before = (entry().parts ?? []).find((part) => part.once === once);
    const noteOne = (part: SentPart): Promise<void> =>
      note(({ parts: all = [] }) => ({
        parts: [...all.filter((each) => each.once !== once), { ...part, file: true }],
      }));
    if (before?.messageId !== undefined || this.#isLate(id)) return;
    if (before === undefined && (await this.#isHeldUp()))
      return await this.#sendLater({ id, text: caption, file: handed, partsSent: 0, uncertain: false });
    try {
      const bytes = await parts.host.services.store.getBlob(blob.hash);
      const draft = { place, ...captionParts(caption, parts.platform.limits), once };
      await parts.sender.send(
        { ...draft, file: { name, mediaType, bytes } },
        { ...defined({ before }), note: noteOne },
        signal,
      );
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const { code, message, details } = toHostError(thrown);
      this.#unsent ??= message;
      if (code !== "delivery_failed" && code !== "fetch_failed")
        return void this.#lost.push(`The file ${name} could not be sent: ${message.replace(/\.$/, "")}.`);
      const uncertain = details.uncertain === true;
      await this.#sendLater({ id, text: caption, file: handed, partsSent: 0, uncertain });
    }
  }
}

/** Whether a message that was sent is of a section's text. */
const isOf = (part: SentPart, section: number): boolean =>
  part.file !== true && (part.section ?? 0) === section;

const sectionName = (section: number): string => (section === 0 ? "" : `section:${section}`);
