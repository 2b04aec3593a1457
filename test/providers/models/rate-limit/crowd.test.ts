import { expect, test } from "vitest";
import type { Model } from "../../../../src/core/ports/model.ts";
import { configuredModels, parseModelsConfig } from "../../../../src/providers/models/index.ts";
import { handClock, type HandClock } from "../../../kit/clock.ts";
import { times } from "../../../kit/counts.ts";
import { ask } from "../../../kit/model-parts.ts";
import { type Answer, reply, startModelServer } from "../../../kit/model-server/index.ts";

const PER_MINUTE = 10;

/** An endpoint that answers 10 requests a minute and refuses all others with the time until the next minute. */
function limitedTo(clock: HandClock): { readonly answer: () => Answer; readonly early: () => number } {
  const minutes = new Map<number, number>();
  const closed = { at: 0, until: 0 };
  let early = 0;
  return {
    early: () => early,
    answer() {
      const now = clock.monotonic();
      const minute = Math.floor(now / 60_000);
      const used = minutes.get(minute) ?? 0;
      if (used < PER_MINUTE) {
        minutes.set(minute, used + 1);
        return reply("ok");
      }
      const left = (minute + 1) * 60_000 - now;
      // What was on its way when the first refusal left is not too early.
      if (now > closed.at && now < closed.until) early += 1;
      else Object.assign(closed, { at: now, until: now + left });
      return {
        status: 429,
        headers: { "retry-after-ms": String(left) },
        body: '{"error":{"message":"Rate limit reached"}}',
      };
    },
  };
}

/** Asks as a turn does: again after the time that the refusal names, three times at most. Gives the number of requests. */
async function insist(model: Model, session: string, clock: HandClock): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const { error } = await ask(model, { cacheKey: session });
    if (error === undefined) return tries;
    if (error.code !== "provider_rate_limit" || tries === 3) throw error;
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.after(error.details.retryAfterMs ?? 0, resolve);
    await promise;
  }
}

/** Only a request that is under way has a deadline this far ahead. */
const FAR_MS = 900_000;

/** Turns the hands from timer to timer until it is over; while a request is under way they stand still. */
async function turnUntil(over: Promise<unknown>, clock: HandClock): Promise<void> {
  const state = { over: false };
  void over.finally(() => (state.over = true)).catch(() => undefined);
  while (!state.over) {
    await new Promise((resolve) => void setImmediate(resolve));
    const timers = clock.pending();
    if (timers.length > 0 && !timers.some((timer) => timer.in > FAR_MS)) clock.next();
  }
}

test("a crowd of sessions on one limited key are all served, and none asks before the time that was named", async () => {
  const clock = handClock();
  const { answer, early } = limitedTo(clock);
  await using server = await startModelServer({ answer });
  const config = parseModelsConfig({ provider: "local", default: "m", base_url: server.baseUrl });
  await using models = configuredModels(config, { env: {}, clock });
  const sessions = times(200);
  const all = Promise.all(
    Array.from({ length: sessions }, (_, n) => insist(models.resolve({}), `session-${n}`, clock)),
  );
  await turnUntil(all, clock);
  expect(Math.max(...(await all))).toBeLessThanOrEqual(3);
  expect(early()).toBe(0);
  // Time enough and little more: the key's limit is used.
  expect(clock.monotonic()).toBeLessThan((sessions / PER_MINUTE + 2) * 2 * 60_000);
});

test("a key without money is asked once, however many sessions there are", async () => {
  const clock = handClock();
  const body =
    '{"error":{"message":"You exceeded your current quota, please check your plan and billing details"}}';
  await using server = await startModelServer({ answer: () => ({ status: 429, body }) });
  const config = parseModelsConfig({ provider: "local", default: "m", base_url: server.baseUrl });
  await using models = configuredModels(config, { env: {}, clock });
  for (let n = 0; n < 50; n += 1) {
    const { error } = await ask(models.resolve({}), { cacheKey: `session-${n}` });
    expect(error?.code).toBe("provider_quota");
  }
  expect(server.requests).toHaveLength(1);
});
