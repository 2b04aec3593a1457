import { expect, test, vi } from "vitest";
import { systemClock } from "../../../src/shared/async/clock.ts";

test("a timer that is late already runs at once, without a warning on stderr", async () => {
  const warned = vi.fn<(warning: Error) => void>();
  process.on("warning", warned);
  const { promise, resolve } = Promise.withResolvers<void>();
  systemClock.after(-0.1, resolve, true);
  await promise;
  await new Promise((next) => setImmediate(next));
  process.off("warning", warned);
  expect(warned).not.toHaveBeenCalled();
});
