import { expect, test } from "vitest";
import { retryAfter } from "../../../../src/providers/models/errors/provider-error.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const read = (headers: Readonly<Record<string, string>>): number | undefined =>
  retryAfter((name) => headers[name], NOW);

test.each<[string, Readonly<Record<string, string>>, number | undefined]>([
  ["seconds", { "retry-after": "3" }, 3000],
  ["parts of a second", { "retry-after": "0.25" }, 250],
  ["no time", { "retry-after": "0" }, 0],
  ["negative seconds", { "retry-after": "-5" }, 0],
  ["ten years", { "retry-after": "315360000" }, 315_360_000_000],
  ["a date", { "retry-after": "Thu, 01 Jan 2026 12:00:30 GMT" }, 30_000],
  ["a date that is over", { "retry-after": "Thu, 01 Jan 2026 11:00:00 GMT" }, 0],
  ["milliseconds", { "retry-after-ms": "1500", "retry-after": "60" }, 1500],
  ["negative milliseconds", { "retry-after-ms": "-1" }, 0],
  ["milliseconds that are none", { "retry-after-ms": "soon", "retry-after": "2" }, 2000],
  ["words", { "retry-after": "tomorrow" }, undefined],
  ["an empty header", { "retry-after": "" }, undefined],
  ["nothing", {}, undefined],
])("a retry time given as %s", (_title, headers, ms) => {
  expect(read(headers)).toBe(ms);
});
