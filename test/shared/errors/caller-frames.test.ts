import { expect, test } from "vitest";
import { noteCaller, withCallerFrames } from "../../../src/shared/errors/caller-frames.ts";

/** A promise that fails outside of whoever waits, as the answer of a thread does. */
function failLater(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  setImmediate(() => reject(new Error("from elsewhere")));
  return promise;
}

const stackOf = async (promise: Promise<unknown>): Promise<string> =>
  await promise.then(
    () => "",
    (thrown: unknown) => (thrown instanceof Error ? (thrown.stack ?? "") : ""),
  );

test("an error of another thread names the functions that wait for it", async () => {
  const library = async (): Promise<void> => await withCallerFrames(failLater());
  const program = async (): Promise<void> => {
    await library();
  };
  expect(await stackOf(failLater())).not.toContain("program");
  const stack = await stackOf(program());
  expect(stack).toContain("from elsewhere");
  expect(stack).toMatch(/at (?:async )?library[^]*at (?:async )?program/);
});

test("an error behind a queue names the caller, once, and what is no error stays as it is", async () => {
  function program(): Promise<never> {
    const named = noteCaller();
    return failLater().catch((thrown: unknown) => {
      throw named(named(thrown));
    });
  }
  const stack = await stackOf(program());
  expect(stack.match(/at program/g)).toHaveLength(1);
  expect(noteCaller()("text")).toBe("text");
});
