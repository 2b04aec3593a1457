import { describe, expect, test } from "vitest";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import { RateLimiter, type RequestPermit } from "../../../../src/providers/models/rate-limit/rate-limiter.ts";
import { RetryBudget } from "../../../../src/providers/models/rate-limit/retry-budget.ts";
import { handClock, type HandClock } from "../../../kit/clock.ts";

const NO_HEADERS = (): undefined => undefined;
const never = new AbortController().signal;

const open = (local = false): { readonly lane: RateLimiter; readonly clock: HandClock } => {
  const clock = handClock();
  return {
    clock,
    lane: new RateLimiter({ clock, name: "api.example.com", local, budget: new RetryBudget() }),
  };
};

const limited = (retryAfterMs?: number): HostError =>
  new HostError("provider_rate_limit", "Slow down.", {
    details: retryAfterMs === undefined ? {} : { retryAfterMs },
  });

/** The sessions that have entered so far, in order, with their passes. */
function entering(lane: RateLimiter, sessions: readonly string[]): { name: string; pass: RequestPermit }[] {
  const entered: { name: string; pass: RequestPermit }[] = [];
  for (const name of sessions) void lane.acquire(name, never).then((pass) => entered.push({ name, pass }));
  return entered;
}

const settle = async (): Promise<void> => void (await new Promise(setImmediate));

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `s${n}`);

describe("before anything is known", () => {
  test("a hosted endpoint gets 16 requests at once, and more with every good answer", async () => {
    const { lane } = open();
    const entered = entering(lane, names(100));
    await settle();
    expect(entered).toHaveLength(16);
    for (const { pass } of entered.slice(0, 16)) pass.answered(NO_HEADERS);
    await settle();
    expect(entered).toHaveLength(16 + 32);
  });

  test("a local one gets all of them", async () => {
    const { lane } = open(true);
    const entered = entering(lane, names(500));
    await settle();
    expect(entered).toHaveLength(500);
  });
});

describe("after a refusal", () => {
  test("nobody goes before the time that the endpoint named, then one, then more", async () => {
    const { lane, clock } = open();
    (await lane.acquire("a", never)).done(limited(20_000));
    const entered = entering(lane, names(5));
    clock.advance(19_999);
    await settle();
    expect(entered).toEqual([]);
    expect(lane.waitMs).toBe(1);
    clock.advance(1);
    await settle();
    expect(entered.map(({ name }) => name)).toEqual(["s0"]);
    entered[0]?.pass.answered(NO_HEADERS);
    await settle();
    expect(entered.length).toBeGreaterThan(1);
  });

  test("without a time the pause doubles with each refusal in a row, and a good answer ends the row", async () => {
    const { lane, clock } = open();
    const pauses: number[] = [];
    for (const end of ["refused", "refused", "refused", "well", "refused"]) {
      const pass = await lane.acquire("a", never);
      if (end === "well") pass.answered(NO_HEADERS);
      else pass.done(limited());
      pauses.push(lane.waitMs);
      clock.advance(lane.waitMs);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 0, 1000]);
  });

  test("who was sent away comes first", async () => {
    const { lane, clock } = open();
    const refused = await lane.acquire("refused", never);
    refused.done(limited(1000));
    const entered = entering(lane, ["new", "refused"]);
    clock.advance(1000);
    await settle();
    expect(entered.map(({ name }) => name)).toEqual(["refused"]);
  });

  test("a wait of more than 5 minutes is an error with the time in it, and no mistake closes the way for good", async () => {
    const { lane, clock } = open();
    (await lane.acquire("a", never)).done(limited(10 * 365 * 24 * 3_600_000));
    await expect(lane.acquire("a", never)).rejects.toMatchObject({
      code: "provider_rate_limit",
      details: { retryAfterMs: 3_600_000 },
    });
    clock.advance(3_600_000);
    await lane.acquire("a", never);
  });

  test("an overloaded endpoint closes the way only when it names a time", async () => {
    const { lane } = open();
    (await lane.acquire("a", never)).done(new HostError("provider_overloaded", "Busy."));
    expect(lane.waitMs).toBe(0);
    const details = { retryAfterMs: 3000 };
    (await lane.acquire("a", never)).done(new HostError("provider_overloaded", "Busy.", { details }));
    expect(lane.waitMs).toBe(3000);
  });
});

describe("what headers say is kept to", () => {
  const headers = (values: Readonly<Record<string, string>>) => (name: string) => values[name];

  test("no request is made beyond those that are left, until the reset", async () => {
    const { lane, clock } = open();
    const first = await lane.acquire("a", never);
    first.answered(headers({ "x-ratelimit-remaining-requests": "2", "x-ratelimit-reset-requests": "4m0s" }));
    const entered = entering(lane, names(4));
    await settle();
    expect(entered).toHaveLength(2);
    clock.advance(240_000);
    await settle();
    expect(entered).toHaveLength(4);
  });
});

test("a key without money fails at once for a minute, and is tried again then", async () => {
  const { lane, clock } = open();
  const noMoney = new HostError("provider_quota", "No credit.");
  (await lane.acquire("a", never)).done(noMoney);
  await expect(lane.acquire("b", never)).rejects.toBe(noMoney);
  clock.advance(60_000);
  (await lane.acquire("b", never)).answered(NO_HEADERS);
  await lane.acquire("a", never);
});

test("sessions take turns, however many calls each has", async () => {
  const { lane, clock } = open();
  (await lane.acquire("x", never)).done(limited(1000));
  const entered = entering(lane, ["a", "a", "a", "a", "b", "c"]);
  clock.advance(1000);
  for (let n = 0; n < 6; n += 1) {
    await settle();
    entered[n]?.pass.answered(NO_HEADERS);
  }
  await settle();
  expect(entered.map(({ name }) => name).slice(0, 3)).toEqual(["a", "b", "c"]);
  expect(entered).toHaveLength(6);
});

test("who gives up while it waits leaves no gap", async () => {
  const { lane, clock } = open();
  (await lane.acquire("x", never)).done(limited(1000));
  const life = new AbortController();
  const leaving = lane.acquire("a", life.signal);
  const entered = entering(lane, ["b"]);
  life.abort(new Error("gone"));
  await expect(leaving).rejects.toThrow("gone");
  clock.advance(1000);
  await settle();
  expect(entered.map(({ name }) => name)).toEqual(["b"]);
});

test("second tries are at most a tenth of the good answers, beside ten to begin with", () => {
  const budget = new RetryBudget();
  const takeAll = (): number => {
    let taken = 0;
    while (budget.take()) taken += 1;
    return taken;
  };
  expect(takeAll()).toBe(10);
  for (let n = 0; n < 105; n += 1) budget.earn();
  expect(takeAll()).toBe(10);
});
