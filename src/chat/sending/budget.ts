import { type Clock, sleep } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { type ChatPlace } from "../port/place.ts";
import type { Limits, Rate } from "../port/platform.ts";

/** The parts of a budget. */
export interface BudgetOptions {
  readonly clock: Clock;
  readonly limits: Pick<Limits, "direct" | "channel" | "bot">;
  /** Until when the platform wants silence, by chat, `""` for the whole bot: Unix milliseconds, as it was last noted. */
  readonly closed?: ReadonlyMap<string, number>;
  /** Notes such a time, so that it holds after a restart. */
  readonly noteClosed?: (chatId: string, until: number) => Promise<void>;
}

/** More chats than these are not kept apart: those that have their whole burst again are forgotten. */
const MOST_CHATS = 2000;

/**
 * The budget of one bot: every request that its platform counts takes a place in that of its chat and in that of the bot.
 * A process begins with empty hands, so that however often one is restarted, two of them never spend more than one may.
 */
export class SendBudget {
  readonly #options: BudgetOptions;
  readonly #startedAt: number;
  readonly #bot: Bucket;
  readonly #chats = new Map<string, Bucket>();
  readonly #closed: Map<string, number>;
  /** Answers under way in each chat: the last place is theirs. */
  readonly #reserved = new Map<string, number>();
  #answers = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
    this.#bot = new Bucket(options.limits.bot, this.#startedAt);
    this.#closed = new Map(options.closed);
  }

  /** Takes a place for what must be sent, and waits until it may. @throws HostError `interrupted` when `signal` aborts */
  async take(place: ChatPlace, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const wait = Math.max(this.#chat(place).take(now), this.#bot.take(now));
    await sleep(clock, wait, signal);
    for (;;) {
      if (signal.aborted) throw new HostError("interrupted", "The message was not sent: this process ends.");
      const closed = this.#closedFor(place);
      if (closed <= 0) return;
      await sleep(clock, closed, signal);
    }
  }

  /** Takes a place for what may be left out, unless it is needed for an answer. */
  takeSpare(place: ChatPlace): boolean {
    if (this.spareIn(place) > 0) return false;
    const now = this.#options.clock.monotonic();
    this.#chat(place).take(now);
    this.#bot.take(now);
    return true;
  }

  /** Milliseconds until there may be a place for what may be left out. */
  spareIn(place: ChatPlace): number {
    const now = this.#options.clock.monotonic();
    const inChat = this.#chat(place).in(now, 1 + (this.#reserved.get(place.chatId) ?? 0));
    const inBot = this.#bot.in(now, 1 + this.#answers);
    return Math.max(inChat, inBot, this.#closedFor(place));
  }

  /** Keeps the last place of a chat for the end of an answer, until it is disposed of. */
  reserve({ chatId }: ChatPlace): Disposable {
    const change = (by: number): void => {
      const left = (this.#reserved.get(chatId) ?? 0) + by;
      if (left > 0) this.#reserved.set(chatId, left);
      else this.#reserved.delete(chatId);
      this.#answers += by;
    };
    change(1);
    return { [Symbol.dispose]: () => change(-1) };
  }

  /** The platform wants no more for so long, in a chat. */
  async close({ chatId }: ChatPlace, ms: number): Promise<void> {
    const until = this.#options.clock.now() + ms;
    this.#closed.set(chatId, Math.max(until, this.#closed.get(chatId) ?? 0));
    await this.#options.noteClosed?.(chatId, until);
  }

  #closedFor({ chatId }: ChatPlace): number {
    const now = this.#options.clock.now();
    const until = this.#closed.get(chatId) ?? 0;
    if (until <= now) this.#closed.delete(chatId);
    return Math.max(0, until - now, (this.#closed.get("") ?? 0) - now);
  }

  #chat({ kind, chatId }: ChatPlace): Bucket {
    const known = this.#chats.get(chatId);
    if (known !== undefined) return known;
    const now = this.#options.clock.monotonic();
    if (this.#chats.size >= MOST_CHATS)
      for (const [id, bucket] of this.#chats) if (bucket.isFull(now)) this.#chats.delete(id);
    // As if it had filled up since the start: what a process before this one spent is over by then.
    const bucket = new Bucket(this.#options.limits[kind], this.#startedAt);
    this.#chats.set(chatId, bucket);
    return bucket;
  }
}

/** Places that come back with the time. More may be taken than there are: who does waits. */
class Bucket {
  readonly #rate: Rate;
  #places: number;
  #at: number;

  constructor(rate: Rate, at: number) {
    this.#rate = rate;
    this.#places = rate.atStart ?? 0;
    this.#at = at;
  }

  /** Takes a place; gives the milliseconds until it is there. */
  take(now: number): number {
    this.#refill(now);
    this.#places -= 1;
    return Math.max(0, (-this.#places / this.#rate.perSecond) * 1000);
  }

  /** Milliseconds until there are so many places, at most all. */
  in(now: number, wanted: number): number {
    this.#refill(now);
    const missing = Math.min(wanted, this.#rate.burst) - this.#places;
    // A place may be missing by less than a millisecond brings.
    return missing <= 1e-6 ? 0 : (missing / this.#rate.perSecond) * 1000;
  }

  isFull(now: number): boolean {
    return this.in(now, this.#rate.burst) === 0;
  }

  #refill(now: number): void {
    const { burst, perSecond } = this.#rate;
    this.#places = Math.min(burst, this.#places + ((now - this.#at) / 1000) * perSecond);
    this.#at = now;
  }
}
