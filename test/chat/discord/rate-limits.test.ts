import { expect, test } from "vitest";
import { RateLimits } from "../../../src/chat/discord/rate-limits.ts";
import { handClock } from "../../kit/clock.ts";

const answer = (status: number, headers: Readonly<Record<string, string>>) => ({
  status,
  headers,
  bytes: new Uint8Array(),
});

test("a bucket that is empty holds up its route in its channel, and routes that share it", () => {
  const clock = handClock();
  const limits = new RateLimits(clock);
  const empty = {
    "x-ratelimit-bucket": "abc",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset-after": "2.5",
  };
  limits.note("POST", "/channels/1/messages", answer(200, empty));
  limits.note("PATCH", "/channels/1/messages/5", answer(200, empty));
  expect(limits.waitFor("POST", "/channels/1/messages")).toBe(2500);
  expect(limits.waitFor("PATCH", "/channels/1/messages/6")).toBe(2500);
  expect(limits.waitFor("POST", "/channels/2/messages")).toBe(0);
  clock.advance(2500);
  expect(limits.waitFor("POST", "/channels/1/messages")).toBe(0);
});

test("the limit of the whole bot holds up all but the answers to interactions", () => {
  const limits = new RateLimits(handClock());
  limits.note("GET", "/users/@me", answer(429, { "retry-after": "3", "x-ratelimit-global": "true" }));
  expect(limits.waitFor("POST", "/channels/2/messages")).toBe(3000);
  expect(limits.waitFor("POST", "/interactions/5/token/callback")).toBe(0);
});
