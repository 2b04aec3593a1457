import { type Clock, sleep } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import { Signal } from "../../shared/async/signal.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { deliverableText, type MarkdownPart, markdownParts } from "../../providers/delivery/index.ts";
import type { SentPart } from "../inbox/entry.ts";
import type { ChatPlace } from "../port/place.ts";
import { MARK_ROOM, marked, type MessageSender, type SenderParts } from "./message-sender.ts";

/** The options of an answer. */
export interface LiveAnswerOptions extends SenderParts {
  readonly sender: MessageSender;
  readonly place: ChatPlace;
  /** The message that is answered, for places where several people write. */
  readonly replyTo?: string;
  /** Messages of it that an earlier process sent, or was about to. */
  readonly before: readonly SentPart[];
  /** The id of each message, the same in every process. */
  readonly onceOf: (index: number) => string;
  /** Notes its messages; durable when it resolves. */
  readonly note: (parts: readonly SentPart[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * An answer that is written while people read: it shows as soon as there is something, grows by edits as fast as the
 * budget allows, and in the end says exactly the whole text, in as many messages as it takes.
 */
export class LiveAnswer implements AsyncDisposable {
  readonly #options: LiveAnswerOptions;
  readonly #life = new AbortController();
  readonly #changed = new Signal();
  readonly #clock: Clock;
  readonly #reserved: Disposable;
  readonly #showing: Promise<void>;
  #parts: readonly SentPart[];
  /** What each message shows; unknown for those of an earlier process. */
  #shown: (string | undefined)[] = [];
  #text = "";
  /** How often each message was changed. */
  readonly #edits: number[] = [];
  /** Messages that this process has begun to send. */
  readonly #tried = new Set<number>();

  constructor(options: LiveAnswerOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#parts = options.before;
    this.#reserved = options.budget.reserve(options.place);
    this.#showing = this.#showAll();
  }

  /** The newest text. Returns at once. */
  show(text: string): void {
    this.#text = text;
    this.#changed.notify();
  }

  /**
   * Says the whole text, and gives the ids of its messages.
   *
   * @throws HostError when some of it cannot be sent; `details.partsSent` counts the messages that are there
   */
  async finish(text: string): Promise<readonly string[]> {
    await this.stop();
    const wanted = this.#messages(text);
    const count = Math.max(wanted.length, this.#parts.length);
    for (let index = 0; index < count; index += 1) {
      // Behind the whole text stand messages of an earlier try that it has no need of.
      const part = wanted[index] ?? NOTHING_MORE;
      if (part === NOTHING_MORE && !this.#isThere(index)) continue;
      try {
        if (!this.#isThere(index)) await this.#send(part, index);
        await this.#edit(part, index);
      } catch (thrown) {
        const { code, message, details } = toHostError(thrown);
        throw new HostError(code, message, { cause: thrown, details: { ...details, partsSent: index } });
      }
    }
    return this.#parts.flatMap(({ messageId }) => messageId ?? []);
  }

  /**
   * What of the whole text is to be said again when a message could not be changed to its end: that one, and what follows.
   *
   * @returns `undefined` when the place has nothing of that message
   */
  saidAgain(text: string, index: number): string | undefined {
    if (!this.#isThere(index)) return undefined;
    const rest = this.#messages(text).slice(index);
    return rest.length === 0 ? "" : marked("fault", rest.map(({ source }) => source).join("\n\n"));
  }

  /** Shows nothing more; when it resolves nothing of it is on its way, and what is there is noted. */
  async stop(): Promise<void> {
    this.#life.abort();
    await this.#showing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#reserved[Symbol.dispose]();
  }

  async #showAll(): Promise<void> {
    const { capabilities } = this.#options.platform;
    const signal = AbortSignal.any([this.#life.signal, this.#options.signal]);
    using listener = this.#changed.listen(signal);
    while (!signal.aborted) {
      const change = listener.wait();
      const next = capabilities.edit ? this.#next() : undefined;
      if (next === undefined) {
        await this.#typing();
        const pause = sleep(this.#clock, this.#options.platform.limits.typingMs, signal);
        // A text that does not show yet is no reason for another sign.
        const shows = capabilities.edit && !this.#parts.some((_part, index) => this.#isSpent(index));
        await (shows ? Promise.race([change, pause]) : pause);
      } else await this.#showNext(next, signal);
    }
  }

  /** The first message that does not look as it should. */
  #next(): { readonly part: MarkdownPart; readonly index: number } | undefined {
    if (this.#text.trim() === "") return undefined;
    const wanted = this.#messages(this.#text);
    const index = wanted.findIndex((part, at) => this.#shown[at] !== part.text && !this.#isSpent(at));
    const part = wanted[index];
    return part === undefined ? undefined : { part, index };
  }

  #isThere(index: number): boolean {
    return this.#parts[index]?.messageId !== undefined;
  }

  /** The one change that it may still have is for the end. */
  #isSpent(index: number): boolean {
    const { mostEdits = Number.POSITIVE_INFINITY } = this.#options.platform.limits;
    return (this.#edits[index] ?? 0) >= mostEdits - 1;
  }

  async #showNext(
    { part, index }: { readonly part: MarkdownPart; readonly index: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { budget, place, platform } = this.#options;
    try {
      // The first words are worth waiting for.
      if (!this.#isThere(index) && index === 0) await this.#send(part, index);
      else {
        const wait = budget.spareIn(place);
        if (wait > 0) return await sleep(this.#clock, wait, signal);
        if (!this.#isThere(index)) await this.#send(part, index);
        else if (budget.takeSpare(place)) await this.#editOnce(part, index, signal);
      }
    } catch (thrown) {
      // What could not be shown now is said in the end.
      const { retryAfterMs } = toHostError(thrown).details;
      if (retryAfterMs !== undefined) await budget.close(place, retryAfterMs).catch(() => undefined);
    }
    await sleep(this.#clock, platform.limits.editEveryMs, signal);
  }

  async #typing(): Promise<void> {
    const { channel, place, budget, platform, signal } = this.#options;
    if (!platform.capabilities.typing || channel.typing === undefined || !budget.takeSpare(place)) return;
    // Nobody misses a sign of typing. One that is on its way is waited for: behind the answer it would be wrong.
    await channel.typing(place, signal).catch(() => undefined);
  }

  #messages(text: string): readonly MarkdownPart[] {
    const { limits } = this.#options.platform;
    return markdownParts(deliverableText(text), { ...limits, limit: limits.limit - MARK_ROOM });
  }

  async #send(part: MarkdownPart, index: number): Promise<void> {
    const { sender, place, replyTo, onceOf, note, signal } = this.#options;
    const { text, plain, source } = part;
    const isFirst = index === 0;
    const draft = {
      place,
      text,
      plain,
      source,
      once: onceOf(index),
      ...defined({ replyTo: isFirst ? replyTo : undefined }),
    };
    const noteOne = async (sent: SentPart): Promise<void> => {
      this.#parts = replaced(this.#parts, index, sent);
      await note(this.#parts);
    };
    const before = this.#parts[index];
    const reason = this.#tried.has(index) ? "fault" : "restart";
    this.#tried.add(index);
    try {
      await sender.send(draft, { ...defined({ before }), reason, note: noteOne }, signal);
    } catch (thrown) {
      // It surely is not there: the next try is the first one.
      if (before === undefined && toHostError(thrown).details.uncertain !== true)
        this.#parts = this.#parts.slice(0, index);
      throw thrown;
    }
    // A message that was there already may have the words of the try that posted it.
    if (before === undefined || this.#parts[index]?.mark !== undefined) this.#shown[index] = text;
  }

  async #edit(part: MarkdownPart, index: number): Promise<void> {
    if (this.#shown[index] === part.text) return;
    const { sender, place, signal } = this.#options;
    await sender.repeat(place, signal, () => this.#editOnce(part, index, signal));
  }

  async #editOnce({ text, plain, source }: MarkdownPart, index: number, signal: AbortSignal): Promise<void> {
    const { channel, place } = this.#options;
    const { messageId = "", mark } = this.#parts[index] ?? {};
    const edit = (words: string) =>
      channel.edit?.({ place, messageId, text: marked(mark, words), source: marked(mark, source) }, signal);
    this.#edits[index] = (this.#edits[index] ?? 0) + 1;
    try {
      await edit(text);
    } catch (thrown) {
      if (toHostError(thrown).code !== "invalid_params" || plain === text) throw thrown;
      await edit(plain);
    }
    this.#shown[index] = text;
  }
}

const NOTHING_MORE: MarkdownPart = { source: "—", text: "—", plain: "—" };

function replaced<T>(list: readonly T[], index: number, value: T): readonly T[] {
  const copy = [...list];
  copy[index] = value;
  return copy;
}
