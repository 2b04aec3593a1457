import { setImmediate as round } from "node:timers/promises";
import { expect, test } from "vitest";
import { mergeGenerators } from "../../../src/shared/async/merge-generators.ts";
import { gate } from "../../kit/scripted-model.ts";
import { unheard } from "../../kit/unheard.ts";

async function* failsAfterOne(): AsyncGenerator<number, void> {
  yield 1;
  throw new Error("meanwhile");
}

async function* waitsFor(opened: Promise<unknown>): AsyncGenerator<number, void> {
  await opened;
  yield 2;
}

test("a generator that fails while the consumer is busy is heard when it comes back", async () => {
  const hold = gate();
  const merged = mergeGenerators([failsAfterOne(), waitsFor(hold.opened)]);
  const reasons = await unheard(async () => {
    expect(await merged.next()).toEqual({ value: 1, done: false });
    await round();
    await expect(merged.next()).rejects.toThrow("meanwhile");
  });
  hold.open();
  expect(reasons).toEqual([]);
});

test("and nobody hears of it when the consumer has left", async () => {
  const hold = gate();
  const merged = mergeGenerators([failsAfterOne(), waitsFor(hold.opened)]);
  const reasons = await unheard(async () => {
    await merged.next();
    await round();
    hold.open();
    await merged.return();
  });
  expect(reasons).toEqual([]);
});
