import { expect, test } from "vitest";
import { readOnce } from "../../../src/shared/async/read-once.ts";

async function* numbers(): AsyncGenerator<number, void> {
  yield 1;
  yield 2;
}

test("a second loop over the same events says so", async () => {
  const events = readOnce(numbers());
  const read: number[] = [];
  for await (const each of events) read.push(each);
  expect(read).toEqual([1, 2]);
  const again = async (): Promise<void> => {
    for await (const each of events) read.push(each);
  };
  await expect(again()).rejects.toThrow("Call events() again for each loop.");
});

test("a loop may go on behind single reads", async () => {
  const events = readOnce(numbers());
  expect((await events.next()).value).toBe(1);
  const rest: number[] = [];
  for await (const each of events) rest.push(each);
  expect(rest).toEqual([2]);
});
