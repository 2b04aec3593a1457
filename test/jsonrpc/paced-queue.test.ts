import { setImmediate as startTurn } from "node:timers";
import { expect, test } from "vitest";
import { PacedQueue } from "../../src/jsonrpc/paced-queue.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => startTurn(resolve));

test("an item is handed on at once when none waits, also in a later turn", async () => {
  const taken: number[] = [];
  const queue = new PacedQueue<number>((item) => taken.push(item));
  queue.push(1);
  expect(taken).toEqual([1]);
  await nextTurn();
  queue.push(2);
  expect(taken).toEqual([1, 2]);
});

test("a burst is handed on in its order, twice as many items in each turn", async () => {
  const taken: number[] = [];
  const queue = new PacedQueue<number>((item) => taken.push(item));
  for (const item of [1, 2, 3, 4, 5]) queue.push(item);
  expect(taken).toEqual([1]);
  await nextTurn();
  expect(taken).toEqual([1, 2, 3]);
  queue.push(6);
  expect(taken).toEqual([1, 2, 3]);
  await nextTurn();
  expect(taken).toEqual([1, 2, 3, 4, 5, 6]);
});

test("a burst after a quiet turn begins with one item again", async () => {
  const taken: number[] = [];
  const queue = new PacedQueue<number>((item) => taken.push(item));
  for (const item of [1, 2, 3]) queue.push(item);
  await nextTurn();
  await nextTurn();
  for (const item of [4, 5]) queue.push(item);
  expect(taken).toEqual([1, 2, 3, 4]);
});

test("what an item begins gets on before the next one begins", async () => {
  const steps: string[] = [];
  const queue = new PacedQueue<string>((item) => {
    steps.push(`${item} begins`);
    void Promise.resolve().then(() => steps.push(`${item} goes on`));
  });
  for (const item of ["a", "b"]) queue.push(item);
  await nextTurn();
  await nextTurn();
  expect(steps).toEqual(["a begins", "a goes on", "b begins", "b goes on"]);
});
