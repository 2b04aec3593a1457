import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LiveSettings } from "../../../src/app/config/live-settings.ts";
import { loadSettings } from "../../../src/app/config/settings.ts";
import { PreparedSandboxes } from "../../../src/app/sandbox/prepared-sandboxes.ts";
import { SessionSandboxes } from "../../../src/app/sandbox/session-sandboxes.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { Spawner } from "../../../src/providers/tools/index.ts";
import { handClock } from "../../kit/clock.ts";

/** The sandboxes of a home of its own, on a machine without programs. */
async function sandboxesOf(backend: string) {
  const home = mkdtempSync(join(tmpdir(), "agent-test-"));
  const environment = { AGENT_HOME: home };
  const clock = handClock();
  const machine = { ...process, env: {} };
  const stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(home, { recursive: true }));
  const settings = await loadSettings(environment, home, [`terminal.backend=${backend}`]);
  const live = stack.use(new LiveSettings(settings, { environment, cwd: home, clock, platform: "linux" }));
  const spawner = stack.use(
    new Spawner({ machine, clock: systemClock, hostId: "host-prepare", tempDir: home }),
  );
  const parts = { live, machine, spawner, clock, isBusy: () => false, cache: home };
  const sandboxes = stack.use(new SessionSandboxes(parts));
  return { home, clock, sandboxes, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("of sessions that begin within a second one is prepared, the others when they need it or begin again", async () => {
  // Where commands run without a sandbox, nothing is opened: what was decided is known all the same.
  await using stage = await sandboxesOf("local");
  const { home, clock, sandboxes } = stage;
  const session = (id: string) => ({ id, platform: "cli" as const, roots: [home] });
  await Promise.all(["a", "b", "c"].map((id) => sandboxes.prepare(session(id))));
  expect(["a", "b", "c"].map((id) => sandboxes.known(id)?.place)).toEqual(["outside", undefined, undefined]);
  await sandboxes.prepare(session("b"));
  expect(sandboxes.known("b")).toBeUndefined();
  clock.advance(1000);
  await sandboxes.prepare(session("b"));
  await sandboxes.siteOf(session("c"));
  expect(["b", "c"].map((id) => sandboxes.known(id)?.place)).toEqual(["outside", "outside"]);
});

test("who waits for the proof of the walls is told when it is over, and where there are none it never begins", async () => {
  await using walls = await sandboxesOf("container");
  const { promise, resolve } = Promise.withResolvers<string>();
  walls.sandboxes.proveSoon(() => resolve("over"));
  walls.clock.advance(1000);
  expect(await promise).toBe("over");
  await using none = await sandboxesOf("local");
  let proved = false;
  none.sandboxes.proveSoon(() => (proved = true));
  none.clock.advance(1000);
  await none.sandboxes.prepare({ id: "a", platform: "cli", roots: [none.home] });
  expect([proved, none.clock.pending()]).toEqual([false, []]);
});

test("a turn that is over at once opens no sandbox, one whose model thinks does, for its owner's folders", async () => {
  const clock = handClock();
  const opened: string[] = [];
  const live = ["quick", "slow", "foreign", "nowhere"].map((id) => ({
    id,
    state: { platform: id === "foreign" ? "webhook" : "cli", roots: id === "nowhere" ? [] : ["/w"] },
  }));
  const preparing = new PreparedSandboxes({
    clock,
    host: () => ({ loaded: (id) => live.find((session) => session.id === id) as never }),
    sandboxes: { prepare: ({ id }) => Promise.resolve(void opened.push(id)) },
  });
  const tell = (id: string, type: "turn.start" | "turn.end") =>
    preparing.observe(id, { event: { type } } as never);
  for (const { id } of live) tell(id, "turn.start");
  clock.advance(100);
  tell("quick", "turn.end");
  expect(opened).toEqual([]);
  clock.advance(100);
  expect(opened).toEqual(["slow"]);
  tell("slow", "turn.end");
  tell("slow", "turn.start");
  clock.advance(200);
  expect(opened).toEqual(["slow", "slow"]);
});
