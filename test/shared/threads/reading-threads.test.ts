import { expect, test } from "vitest";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { type GivenUp, ReadingThreads } from "../../../src/shared/threads/reading-threads.ts";

/** Gives why a thread with this program was given up. */
function givenUp(program: URL): Promise<GivenUp> {
  const threads = new ReadingThreads({ clock: systemClock, program, name: "test reader", concurrency: 1 });
  return threads.read<never, GivenUp>({
    request: undefined,
    heapMegabytes: 16,
    timeMs: 100_000,
    signal: new AbortController().signal,
    hear: () => undefined,
    giveUp: (why, { resolve }) => resolve(why),
  });
}

const programOf = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

test("what a thread takes is told from a thread that fails", async () => {
  expect(await givenUp(programOf("const all = []; for (;;) all.push({ one: [all.length] });"))).toBe(
    "memory",
  );
  expect(await givenUp(new URL("./is-not-there.js", import.meta.url))).toBe("ended");
  expect(await givenUp(programOf("throw new Error('broken')"))).toBe("ended");
  expect(await givenUp(programOf(""))).toBe("ended");
});
