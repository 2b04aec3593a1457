import { expect, test } from "vitest";
import { limitsInHeaders } from "../../../../src/providers/models/rate-limit/limit-headers.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

test.each<[Readonly<Record<string, string>>, ReturnType<typeof limitsInHeaders>]>([
  [{}, undefined],
  [
    { "x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "1s" },
    { remaining: 3, resetMs: 1000 },
  ],
  [
    { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0.5s" },
    { remaining: 0, resetMs: 360_500 },
  ],
  [
    { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms" },
    { remaining: 0, resetMs: 20 },
  ],
  [{ "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "20ms" }, undefined],
  [
    {
      "anthropic-ratelimit-requests-remaining": "1",
      "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:07Z",
    },
    { remaining: 1, resetMs: 7000 },
  ],
  [
    { "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "30" },
    { remaining: 1, resetMs: 30_000 },
  ],
  [{ "x-ratelimit-remaining-requests": "1" }, undefined],
  [{ "x-ratelimit-remaining-requests": "-1", "x-ratelimit-reset-requests": "soon" }, undefined],
  [
    {
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": "2025-12-31T23:59:59Z",
    },
    undefined,
  ],
])("%j says %j", (headers, limits) => {
  expect(limitsInHeaders((name) => headers[name], NOW)).toEqual(limits);
});
