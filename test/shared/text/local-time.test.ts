import { afterEach, expect, test, vi } from "vitest";
import { localTime } from "../../../src/shared/text/local-time.ts";

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["UTC", "2026-03-01 00:05:09 +00:00"],
  ["Europe/Berlin", "2026-03-01 01:05:09 +01:00"],
  ["America/St_Johns", "2026-02-28 20:35:09 -03:30"],
])("a moment is as the clocks show it in %s", (zone, shown) => {
  vi.stubEnv("TZ", zone);
  expect(localTime(Date.UTC(2026, 2, 1, 0, 5, 9))).toBe(shown);
});
