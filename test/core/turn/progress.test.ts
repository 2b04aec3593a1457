import { setImmediate as round } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AppendRequest, LiveEvent, SessionEvent } from "../../../src/core/index.ts";
import { EphemeralState } from "../../../src/core/log/ephemeral-state.ts";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { handClock } from "../../kit/clock.ts";
import { random } from "../../kit/counts.ts";
import { callTool, gate, say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf, untilTrue } from "../../kit/test-host.ts";
import { unheard } from "../../kit/unheard.ts";

type Progress = Extract<LiveEvent, { type: "tool.progress" }>;

const printed = (at: number, text: string, preview = text): Progress => ({
  type: "tool.progress",
  callId: "c1",
  name: "terminal",
  preview,
  output: { at, text },
});

const now = { at: 0, behind: 0 };

const outputs = (events: readonly { readonly event: LiveEvent }[]) =>
  events.map(({ event }) => (event.type === "tool.progress" ? event.output : undefined));

test("a reader gets the output since it last looked in one piece, and a late one all that is kept", () => {
  const board = new EphemeralState();
  board.post(printed(0, "one "), now);
  const { version } = board;
  board.post(printed(4, "two "), now);
  board.post(printed(8, "three"), now);
  expect(outputs(board.after(version))).toEqual([{ at: 4, text: "two three" }]);
  expect(outputs(board.after(0, 0))).toEqual([{ at: 0, text: "one two three" }]);
  expect(board.after(board.version)).toEqual([]);
});

test("a reader that came while the log kept it busy gets the notes since then; one that comes now does not", () => {
  const board = new EphemeralState();
  board.post(printed(0, "one"), now);
  const came = board.version;
  board.post({ type: "status.update", kind: "compacting", text: "x" }, now);
  const types = (version: number) => board.after(version, 0).map(({ event }) => event.type);
  expect(types(came)).toEqual(["tool.progress", "status.update"]);
  expect(types(board.version)).toEqual(["tool.progress"]);
});

test("memory for output is bounded; what was lost shows in the position", () => {
  const board = new EphemeralState();
  const piece = "x".repeat(10_000);
  for (let index = 0; index < 100; index += 1) board.post(printed(index * 10_000, piece), now);
  const [kept] = outputs(board.after(0, 0));
  expect(kept?.text.length).toBeLessThan(80_000);
  expect((kept?.at ?? 0) + (kept?.text.length ?? 0)).toBe(1_000_000);
});

test("output before a gap is left out rather than joined to what follows it", () => {
  const board = new EphemeralState();
  board.post(printed(0, "begin"), now);
  board.post(printed(100, "end"), now);
  expect(outputs(board.after(0, 0))).toEqual([{ at: 100, text: "end" }]);
});

test("a note never overtakes what was said before it, however quick the model is", async () => {
  const begin = { type: "call.start", id: "c1", name: "look" } as const;
  const reply = [say("On it."), begin, callTool("look", {}, "c1")];
  const model = scriptedModel(reply, [say("done")], reply, [say("done")]);
  await using host = await hostWith(model, { toolsets: toolsOf(testTool("look")) });
  const session = await host.open();
  const types: string[] = [];
  const reading = (async () => {
    for await (const { type } of session.events()) if (types.push(type) > 0 && ends(types)) return;
  })();
  await session.submit({ text: "one" }).result;
  await session.submit({ text: "two" }).result;
  await reading;
  const turns = types.join(" ").split("turn.start").slice(1);
  expect(turns.map((turn) => turn.trim().split(" ").slice(0, 2))).toEqual([
    ["message.delta", "tool.generating"],
    ["message.delta", "tool.generating"],
  ]);
});

const ends = (types: readonly string[]): boolean => types.filter((type) => type === "turn.end").length === 2;

test("progress comes ten times a second at most, with all of the output, and the last of it is not held back", async () => {
  const clock = handClock();
  const more = gate();
  const print = testTool("print", {
    async *run() {
      for (const text of ["a", "b", "c"]) yield { preview: text, output: text };
      more.arrive();
      await more.opened;
      return { outcome: "ok", content: [{ type: "text", text: "abc" }] };
    },
  });
  const model = scriptedModel([callTool("print")], [say("done")]);
  await using host = await hostWith(model, { toolsets: toolsOf(print), clock });
  const session = await host.open();
  const turn = session.submit({ text: "go" });
  const seen: SessionEvent[] = [];
  const reading = (async () => {
    for await (const event of turn) if (event.type === "tool.progress") seen.push(event);
  })();
  await more.reached;
  await untilTrue(() => seen.length === 1);
  expect(seen[0]).toMatchObject({ preview: "a", output: { at: 0, text: "a" } });
  await clock.untilPending();
  await untilTrue(() => {
    clock.advance(10);
    return seen.length === 2;
  });
  expect(seen[1]).toMatchObject({ preview: "c", output: { at: 1, text: "bc" } });
  more.open();
  await reading;
  expect(seen).toHaveLength(2);
});

test("secrets are hidden in output, also when they come in pieces", async () => {
  const clock = handClock();
  const print = testTool("print", {
    async *run(_input, context) {
      yield { preview: "", output: "key=hunter2" };
      yield { preview: "", output: "hunter2 end" };
      await new Promise<void>((resolve) => context.clock.after(500, resolve));
      return { outcome: "ok", content: [] };
    },
  });
  const model = scriptedModel([callTool("print")], [say("done")]);
  const secrets = () => ["hunter2hunter2"];
  await using host = await hostWith(model, { toolsets: toolsOf(print), clock, secrets });
  const session = await host.open();
  const turn = session.submit({ text: "go" });
  let text = "";
  const reading = (async () => {
    for await (const event of turn)
      if (event.type === "tool.progress" && event.output !== undefined) text += event.output.text;
  })();
  await untilTrue(() => {
    clock.advance(10);
    return session.state.turn === undefined && session.state.lastTurn !== undefined;
  });
  await reading;
  expect(text).toBe("key=[redacted] end");
});

test("a tool that fails after its progress, while another call's result is being committed, is heard", async () => {
  const store = memoryStore({ random: random(1) });
  const commit = gate();
  const slow = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== "append") return typeof member === "function" ? member.bind(target) : member;
      return async (request: AppendRequest) => {
        if (request.rows.some(({ type }) => type === "tool.complete")) {
          commit.arrive();
          await commit.opened;
        }
        return await target.append(request);
      };
    },
  });
  const fail = gate();
  const failing = testTool("failing", {
    async *run() {
      await commit.reached;
      yield { preview: "half" };
      fail.arrive();
      await fail.opened;
      throw new Error("no more");
    },
  });
  const model = scriptedModel([callTool("quick"), callTool("failing")], [say("done")]);
  await using host = await hostWith(model, {
    toolsets: toolsOf(testTool("quick"), failing),
    store: slow,
  });
  const session = await host.open();
  const turn = session.submit({ text: "go" });
  const reasons = await unheard(async () => {
    await fail.reached;
    await round();
    fail.open();
    await round();
    commit.open();
    await turn.result;
  });
  expect(reasons).toEqual([]);
  const events = await Array.fromAsync(turn);
  const results = events.flatMap((event) =>
    event.type === "tool.complete" ? [[event.name, event.outcome]] : [],
  );
  expect(results).toEqual([
    ["quick", "ok"],
    ["failing", "error"],
  ]);
});
