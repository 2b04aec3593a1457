import type { Clock } from "../../shared/async/clock.ts";
import { retryAfterMs } from "../port/answers.ts";
import type { ChannelAnswer } from "../port/transport.ts";

interface Bucket {
  readonly remaining: number;
  /** On the monotonic clock. */
  readonly resetAt: number;
}

const MOST_ROUTES = 5000;

/**
 * The rate limits of a bot, as each answer tells them: routes share buckets, a bucket is one for each channel, and one
 * limit is for all. https://docs.discord.com/developers/topics/rate-limits
 */
export class RateLimits {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #bucketOf = new Map<string, string>();
  readonly #buckets = new Map<string, Bucket>();
  #closedUntil = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Milliseconds until a request may be made. */
  waitFor(method: string, path: string): number {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(this.#bucketOf.get(routeOf(method, path)) ?? "");
    const closed = isInteraction(path) ? 0 : this.#closedUntil - now;
    return Math.max(0, closed, bucket?.remaining === 0 ? bucket.resetAt - now : 0);
  }

  /** Notes what an answer tells. */
  note(method: string, path: string, { status, headers }: ChannelAnswer): void {
    const now = this.#clock.monotonic();
    const asked = retryAfterMs(headers["retry-after"]);
    const isForAll = headers["x-ratelimit-global"] === "true" || headers["x-ratelimit-scope"] === "global";
    if (status === 429 && isForAll && asked !== undefined) this.#closedUntil = now + asked;
    const { "x-ratelimit-bucket": name, "x-ratelimit-remaining": left } = headers;
    const resetMs = retryAfterMs(headers["x-ratelimit-reset-after"]);
    if (name === undefined || left === undefined || resetMs === undefined) return;
    if (this.#bucketOf.size >= MOST_ROUTES) this.#forget(now);
    const key = `${name} ${majorOf(path)}`;
    this.#bucketOf.set(routeOf(method, path), key);
    this.#buckets.set(key, { remaining: Number(left), resetAt: now + resetMs });
  }

  #forget(now: number): void {
    for (const [key, { resetAt }] of this.#buckets) if (resetAt <= now) this.#buckets.delete(key);
    this.#bucketOf.clear();
  }
}

/** The part of a path that has limits of its own: a channel, or a webhook with its token. */
const majorOf = (path: string): string => /^\/(?:channels|webhooks)\/[^/?]+/.exec(path)?.[0] ?? "";

/** A path without the ids that do not count. */
function routeOf(method: string, path: string): string {
  const major = majorOf(path);
  const rest = path.slice(major.length).replace(/\?.*$/, "").replaceAll(/\/\d+/g, "/:id");
  return `${method} ${major}${rest}`;
}

const isInteraction = (path: string): boolean => /^\/(?:interactions|webhooks)\//.test(path);
