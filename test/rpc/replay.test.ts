import fc from "fast-check";
import { expect, test } from "vitest";
import { HostError } from "../../src/shared/errors/host-error.ts";
import { callTool, fail, gate, say, scriptedModel, think, wait } from "../kit/scripted-model.ts";
import { seed, times } from "../kit/counts.ts";
import { handClock } from "../kit/clock.ts";
import { CommandStage, OPEN } from "../kit/command.ts";
import {
  startModelServer,
  gate as holdModel,
  reply,
  say as tell,
  waitAt,
} from "../kit/model-server/index.ts";
import { testTool, toolsOf } from "../kit/test-host.ts";
import { GatewayStage } from "./gateway-stage.ts";

const WORDS = ["Grüße ", "an ", "alle 👋🏽 ", "im ", "Raum."];

const conversation = () =>
  scriptedModel(
    [think("let me "), think("think"), ...WORDS.map((word) => say(word)), callTool("look")],
    WORDS.map((word) => say(word)),
  );

test("cut after any byte, a client that resumes with its cursor gets exactly the rest", async () => {
  await using stage = await GatewayStage.open(conversation(), { toolsets: toolsOf(testTool("look")) });
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "go" });
  await client.ended(id);
  const whole = client.text(id);
  const events = client.events.filter(({ session_id }) => session_id === id);
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  const bytes = Buffer.from(lines.join(""));
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length }), async (cut) => {
      // Only lines that came whole were seen.
      const seen = events.slice(0, bytes.subarray(0, cut).toString("latin1").split("\n").length - 1);
      const last_seen = Math.max(0, ...seen.map(({ seq = 0 }) => seq));
      const again = await stage.client();
      const resumed = await again.call("session.resume", { session_id: id, last_seen });
      expect(resumed.seq).toBe(last_seen);
      const ended = last_seen >= (events.findLast(({ type }) => type === "message.complete")?.seq ?? 0);
      if (!ended) await again.event("message.complete");
      const text = seen.flatMap((e) => (e.type === "message.delta" ? [e.payload.text] : [])).join("");
      expect(text + again.text(id)).toBe(whole);
      again.disconnect();
    }),
    { seed, numRuns: times(300) },
  );
});

test("numbers only rise, live and in the replay, and each of them resumes exactly after its event", async () => {
  const failure = new HostError("provider_overloaded", "The model failed.");
  const models = scriptedModel(
    [think("hm"), say("Let me. "), callTool("look"), callTool("look")],
    [say("Done.")],
    [say("And "), fail(failure)],
  );
  await using stage = await GatewayStage.open(models, { toolsets: toolsOf(testTool("look")) });
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  for (const turns of [1, 2]) {
    await client.call("prompt.submit", { session_id: id, text: "go" });
    await client.ended(id, turns);
    await client.call("session.title", { session_id: id, title: `Title ${turns}` });
    await client.event(
      "session.info",
      ({ seq, payload }) => seq !== undefined && payload.title === `Title ${turns}`,
    );
  }
  const outline = (events: readonly { type: string; seq?: number }[]): readonly string[] =>
    events.flatMap(({ type, seq }) => (seq === undefined ? [] : [`${seq} ${type}`]));
  const live = client.events.filter(({ session_id, seq }) => session_id === id && seq !== undefined);
  const seqs = live.map(({ seq = 0 }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
  expect(live.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["message.start", "tool.start", "tool.complete", "error", "session.title"]),
  );
  const last = seqs.at(-1) ?? 0;
  for (const last_seen of seqs) {
    const rest = outline(live.filter(({ seq = 0 }) => seq > last_seen));
    const { events } = await client.call("session.events.since", { session_id: id, last_seen });
    expect(outline(events), `since ${last_seen}`).toEqual(rest);
    const again = await stage.client();
    await again.call("session.resume", { session_id: id, last_seen });
    if (last_seen < last) await again.frame(() => again.events.some(({ seq }) => seq === last));
    expect(outline(again.events), `resumed at ${last_seen}`).toEqual(rest);
    again.disconnect();
  }
});

test("cut anywhere while it streams, the parts are the whole", async () => {
  const holds = WORDS.map(() => gate());
  const steps = WORDS.flatMap((word, index) => [say(word), wait(holds[index] ?? gate())]);
  await using stage = await GatewayStage.open(scriptedModel(steps));
  let client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "go" });
  let text = "";
  for (const [index, hold] of holds.entries()) {
    const expected = WORDS.slice(0, index + 1).join("");
    await client.frame(() => text + client.text(id) === expected);
    text += client.text(id);
    const last_seen = Math.max(
      ...client.events.map(({ session_id, seq = 0 }) => (session_id === id ? seq : 0)),
    );
    client.disconnect();
    client = await stage.client();
    const resumed = await client.call("session.resume", { session_id: id, last_seen });
    expect(resumed).toMatchObject({ running: true, inflight: null });
    hold.open();
  }
  await client.ended(id);
  expect(text + client.text(id)).toBe(WORDS.join(""));
});

test("session.events.since gives the events of the log, whole pages with a cursor to go on", async () => {
  await using stage = await GatewayStage.open(conversation(), { toolsets: toolsOf(testTool("look")) });
  const client = await stage.client();
  const { session_id: id, epoch } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "go" });
  await client.ended(id);
  const all = await client.call("session.events.since", { session_id: id });
  expect(all).toMatchObject({ truncated: false, epoch, latest_seq: all.next, count: all.events.length });
  const text = all.events
    .filter(({ type }: { type: string }) => type === "message.delta")
    .map(({ payload }: { payload: { text: string } }) => payload.text)
    .join("");
  expect(text).toBe(client.text(id));
  expect(await client.call("session.events.since", { session_id: id, last_seen: all.next })).toMatchObject({
    count: 0,
    truncated: false,
  });
  const foreign = await client.call("session.events.since", { session_id: id, last_seen: all.next + 1000 });
  expect(foreign).toMatchObject({ truncated: true, count: 0 });
});

test("kill -9 in the middle of an answer, restart, resume: nothing shown is lost, the turn is interrupted", async () => {
  await using server = await startModelServer();
  server.script(reply([tell("one "), tell("two "), waitAt(holdModel())]), reply("three"));
  await using stage = new CommandStage();
  stage.configure(`model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n`);
  const first = stage.start(["rpc"], { stdin: OPEN });
  const say = (command: typeof first, frame: object): void =>
    void command.child.stdin.write(`${JSON.stringify(frame)}\n`);
  say(first, { id: 1, method: "session.create", params: { session_id: "s" } });
  await first.line((line) => line.includes('"id":1'));
  say(first, { id: 2, method: "prompt.submit", params: { session_id: "s", text: "go" } });
  const deltas = (lines: readonly string[]) =>
    lines.flatMap((line) => {
      const { params } = JSON.parse(line) as {
        params?: { type: string; seq: number; payload: { text: string } };
      };
      return params?.type === "message.delta" ? [params] : [];
    });
  await first.line(
    () =>
      deltas(first.lines)
        .map(({ payload }) => payload.text)
        .join("") === "one two ",
  );
  const last_seen = deltas(first.lines).at(-1)?.seq;
  first.child.kill("SIGKILL");
  await first.end;
  const second = stage.start(["rpc"], { stdin: OPEN });
  say(second, { id: 3, method: "session.resume", params: { session_id: "s", last_seen } });
  await second.line((line) => line.includes("message.complete"));
  const complete = await second.line((line) => line.includes("message.complete"));
  expect(JSON.parse(complete)).toMatchObject({
    params: { payload: { status: "interrupted", text: "one two " } },
  });
  expect(deltas(second.lines)).toEqual([]);
  say(second, { id: 4, method: "prompt.submit", params: { session_id: "s", text: "again" } });
  await second.line((line) => line.includes("three") && line.includes("message.complete"));
  second.child.stdin.end();
  expect(await second.end).toMatchObject({ code: 0 });
});

test("who resumes with replay_turn gets the running turn as its events, each with its time", async () => {
  const clock = handClock();
  const held = gate();
  const models = scriptedModel(
    [say("Before.")],
    [say("Let me. "), callTool("look")],
    [say("Now "), wait(held), say("it ends.")],
  );
  await using stage = await GatewayStage.open(models, { clock, toolsets: toolsOf(testTool("look")) });
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "first" });
  await client.ended(id);
  const began = clock.now() / 1000;
  await client.call("prompt.submit", { session_id: id, text: "go" });
  await client.event("message.delta", ({ payload }) => payload.text.includes("Now"));
  clock.advance(60_000);
  const second = await stage.client();
  const resumed = await second.call("session.resume", { session_id: id, replay_turn: true });
  expect(resumed.messages.map((message: { text?: string }) => message.text)).toEqual(["first", "Before."]);
  expect(resumed.inflight).toMatchObject({ user: "go", assistant: "", from: resumed.seq });
  await second.event("message.delta", ({ payload }) => payload.text.includes("Now"));
  const placed = (type: string) => second.events.find((event) => event.type === type);
  expect(placed("message.start")).toMatchObject({ at: began, payload: { text: "go" } });
  expect(placed("tool.start")).toMatchObject({ at: began, payload: { name: "look" } });
  expect(placed("tool.complete")).toMatchObject({ at: began });
  held.open();
  await second.event("message.complete");
  expect(placed("message.complete")?.at).toBeUndefined();
  expect(second.text(id)).toBe("Let me. \n\nNow it ends.");
});
