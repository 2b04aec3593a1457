import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Exit, SpawnedChild } from "../../../../src/providers/tools/spawn/child.ts";
import { BackgroundProcesses } from "../../../../src/providers/tools/terminal/background.ts";
import { handClock } from "../../../kit/clock.ts";

/** A command that is gone once it is ended, while its exit comes when a test lets it come. */
async function stage() {
  const clock = handClock();
  const exit = Promise.withResolvers<Exit>();
  const child = { pid: 1, exited: exit.promise, kill: () => Promise.resolve() } as SpawnedChild;
  const told: unknown[] = [];
  const background = new BackgroundProcesses({ spawn: () => Promise.resolve(child) }, clock, {
    began: () => undefined,
    ended: (_session, process, { withHost }) => told.push([process.exit?.signal, withHost]),
  });
  await background.start({
    command: "sleep 600",
    file: "sleep",
    args: ["600"],
    cwd: "/",
    env: {},
    session: "s",
  });
  return { clock, exit, told, background };
}

const WAYS = {
  "a session's commands": (background: BackgroundProcesses) => background.stop("s"),
  "all commands": (background: BackgroundProcesses) => background.stopAll(),
  "one command": (background: BackgroundProcesses) =>
    Promise.all(background.list("s").map((each) => background.end(each))),
};

test.for(Object.entries(WAYS))(
  "who ends %s knows how they ended, also when the system tells late",
  async ([, end]) => {
    const { exit, told, background } = await stage();
    let isOver = false;
    const ending = end(background).then(() => (isOver = true));
    await setImmediate();
    expect(isOver).toBe(false);
    exit.resolve({ code: null, signal: "SIGTERM", left: 0 });
    await ending;
    expect(told).toEqual([["SIGTERM", false]]);
  },
);

test("nobody waits for good for the end of what the system holds", async () => {
  const { clock, told, background } = await stage();
  const closing = background[Symbol.asyncDispose]();
  await setImmediate();
  clock.advance(2000);
  await closing;
  expect(told).toEqual([]);
});
