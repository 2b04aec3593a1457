import { expect, test } from "vitest";
import { HostError } from "../../src/shared/errors/host-error.ts";
import { isJsonObject } from "../../src/shared/json/json.ts";
import { callTool, fail, gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { testTool, toolsOf, untilTrue } from "../kit/test-host.ts";
import { GatewayStage } from "./gateway-stage.ts";

test("commands know the width of the terminal of the client that told it last, while it follows", async () => {
  const widths: unknown[] = [];
  const look = testTool("look", {
    run: (_input, { columns }) => {
      widths.push(columns);
      return Promise.resolve("seen");
    },
  });
  const turns = [0, 1, 2, 3, 4, 5].flatMap(() => [[callTool("look")], [say("ok")]]);
  await using stage = await GatewayStage.open(scriptedModel(...turns), { toolsets: toolsOf(look) });
  const [first, second] = [await stage.client(), await stage.client()];
  const { session_id } = await first.call("session.create", {});
  await second.call("session.activate", { session_id });
  const ask = async (turn: number): Promise<void> => {
    await first.call("prompt.submit", { session_id, text: "look" });
    await first.ended(session_id, turn);
  };
  await ask(1);
  await first.call("terminal.resize", { session_id, cols: 100 });
  await second.call("terminal.resize", { session_id, cols: 200 });
  await ask(2);
  second.disconnect();
  await ask(3);
  await first.call("session.resume", { session_id, cols: 70 });
  await ask(4);
  expect(widths).toEqual([undefined, 200, 100, 70]);
  const made = await first.call("session.create", { cols: 60 });
  await first.call("prompt.submit", { session_id: made.session_id, text: "look" });
  await first.ended(made.session_id, 1);
  expect(widths.at(-1)).toBe(60);
});

test("sessions are found by what was said in them, with the line of the transcript", async () => {
  await using stage = await GatewayStage.open(
    scriptedModel([say("It is a leap second.")], [say("Nothing.")]),
  );
  const client = await stage.client();
  const talk = async (text: string): Promise<string> => {
    const { session_id } = await client.call("session.create", {});
    await client.call("prompt.submit", { session_id, text });
    await client.ended(session_id);
    return session_id;
  };
  const flaky = await talk("Why is this test flaky?");
  await talk("Something else");
  const { hits, ...page } = await client.call("session.search", { query: "leap sec" });
  expect(page).toEqual({ complete: true });
  expect(hits).toMatchObject([
    {
      session: { id: flaky, status: "idle" },
      match: {
        kind: "answer",
        text: "It is a leap second.",
        marks: [
          [8, 12],
          [13, 19],
        ],
      },
      places: 1,
    },
  ]);
  const { messages } = await client.call("session.history", { session_id: flaky });
  expect(messages.find((line: { row_id: number }) => line.row_id === hits[0]?.match.row_id)?.text).toBe(
    "It is a leap second.",
  );
  const one = await client.call("session.search", { query: "i*", limit: 1 });
  expect((await client.call("session.search", { query: "is", limit: 1 })).hits).toHaveLength(1);
  expect(one.hits).toHaveLength(0);
  await expect(client.call("session.search", { query: '""' })).rejects.toThrow(
    "There is no word to search for",
  );
});

test("the state of a copy comes before the answer that names the copy", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id, text: "one" });
  await client.ended(session_id);
  const copy = await client.call("session.branch", { session_id });
  const answered = client.frames.findIndex(({ result }) => result === copy);
  const told = client.frames.findIndex(
    ({ params }) => isJsonObject(params) && params["session_id"] === copy.session_id,
  );
  expect(client.frames[told]?.["params"]).toMatchObject({
    type: "session.info",
    payload: { running: false },
  });
  expect(told).toBeLessThan(answered);
});

test("requests that are sent one behind the other take effect in that order", async () => {
  await using stage = await GatewayStage.open(scriptedModel([say("a")], [say("b")]));
  const client = await stage.client();
  client.send({ id: 1, method: "session.create", params: { session_id: "mine" } });
  client.send({ id: 2, method: "prompt.submit", params: { session_id: "mine", text: "first" } });
  client.send({ id: 3, method: "prompt.submit", params: { session_id: "mine", text: "second" } });
  client.send({ id: 4, method: "session.create", params: { session_id: "other" } });
  client.send({ id: 5, method: "session.activate", params: { session_id: "other" } });
  expect(await client.frame(({ id }) => id === 5)).toHaveProperty("result");
  await client.ended("mine", 2);
  expect(client.text("mine")).toBe("ab");
});

test("a session that was deleted elsewhere is told of, and its id can be another session's", async () => {
  await using stage = await GatewayStage.open(scriptedModel([say("old")], [say("new")]));
  const [one, two] = [await stage.client(), await stage.client()];
  await one.call("session.create", { session_id: "mine" });
  await one.call("prompt.submit", { session_id: "mine", text: "x" });
  await one.ended("mine");
  await stage.host.delete("mine");
  expect((await one.event("session.reclaimed")).payload).toMatchObject({
    session_id: "mine",
    reason: "deleted",
  });
  expect((await one.ask("prompt.submit", { session_id: "mine", text: "x" })).error?.code).toBe(4001);
  expect(await two.call("session.create", { session_id: "mine" })).toMatchObject({ message_count: 0 });
  const before = one.frames.length;
  await one.call("prompt.submit", { session_id: "mine", text: "x" });
  const [mine, theirs] = await Promise.all([
    one.event("message.complete", undefined, before),
    two.event("message.complete"),
  ]);
  expect([mine.payload.text, theirs.payload.text]).toEqual(["new", "new"]);
});

test("what clients leave open does not pile up", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const stays = await stage.client();
  const { session_id: kept } = await stays.call("session.create", {});
  for (let round = 0; round < 5; round += 1) {
    const leaves = await stage.client();
    for (let made = 0; made < 100; made += 1) await leaves.call("session.create", {});
    leaves.disconnect();
  }
  const { sessions } = await stays.call("session.active_list", {});
  expect(sessions.length).toBeLessThan(450);
  expect(sessions[0].id).toBe(kept);
  expect((await stays.event("session.reclaimed")).payload).toMatchObject({ reason: "idle" });
});

test("close_on_disconnect ends what the connection leaves, and nothing else", async () => {
  const hold = gate();
  await using stage = await GatewayStage.open(scriptedModel([wait(hold)], [say("mine")]));
  const [leaves, stays] = [await stage.client(), await stage.client()];
  await stage.host.open({ id: "stored" });
  await leaves.call("session.resume", { session_id: "stored", close_on_disconnect: true });
  const { session_id: own } = await leaves.call("session.create", { close_on_disconnect: true });
  const { session_id: shared } = await leaves.call("session.create", { close_on_disconnect: true });
  await stays.call("session.activate", { session_id: shared });
  await leaves.call("prompt.submit", { session_id: own, text: "go" });
  await hold.reached;
  leaves.disconnect();
  const session = await stage.host.session(own);
  await untilTrue(() => session.state.endReason === "closed" && !session.driving);
  const { sessions } = await stays.call("session.active_list", {});
  expect(sessions.map(({ id }: { id: string }) => id)).toEqual([shared]);
});

test("a prompt beside the session ends in one event, and its session is not listed", async () => {
  await using stage = await GatewayStage.open(scriptedModel([say("Paris.")]));
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  const { task_id } = await client.call("prompt.background", { session_id, text: "Capital of France?" });
  expect(task_id).toMatch(/^bg_[0-9a-f]{6}$/);
  const { payload } = await client.event("background.complete");
  expect(payload).toEqual({ task_id, text: "Paris.", status: "completed" });
  expect((await client.ask("prompt.background", { session_id, text: " " })).error?.code).toBe(4012);
  expect(await client.call("session.list", {})).toEqual({ sessions: [] });
});

test("/compress that fails says with its answer that an event says the same", async () => {
  const down = new HostError("provider_network", "The model cannot be reached.");
  const model = scriptedModel([say("long ".repeat(200))], [say("long ".repeat(200))], [fail(down)]);
  await using stage = await GatewayStage.open(model);
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  const compress = { command: "/compress", session_id };
  expect(await client.call("command.dispatch", compress)).not.toHaveProperty("told");
  for (const turns of [1, 2]) {
    await client.call("prompt.submit", { session_id, text: "go" });
    await client.ended(session_id, turns);
  }
  expect(await client.call("command.dispatch", compress)).toMatchObject({ type: "exec", told: true });
  await client.event("status.update", ({ payload }) => payload.text.includes(down.message));
});

test("a compression that came to nothing leaves no client with the word that it goes on", async () => {
  const down = new HostError("provider_network", "The model cannot be reached.");
  const model = scriptedModel([say("long ".repeat(200))], [say("long ".repeat(200))], [fail(down)]);
  await using stage = await GatewayStage.open(model);
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  for (const turns of [1, 2]) {
    await client.call("prompt.submit", { session_id, text: "go" });
    await client.ended(session_id, turns);
  }
  expect(await client.call("session.compress", { session_id })).toMatchObject({
    status: "aborted",
    summary: { note: down.message },
  });
  const said = client.events
    .filter(({ type }) => type === "status.update")
    .map(({ payload }) => payload.kind);
  expect(said.filter((kind) => kind !== "warn")).toEqual(["compressing", "status"]);
});

test("a compression counts the messages that the model was sent, and is sent from now on", async () => {
  const long = say("long ".repeat(200));
  const model = scriptedModel([long], [long], [long], [long], [say("short")], [say("ok")]);
  await using stage = await GatewayStage.open(model);
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  for (const turns of [1, 2, 3, 4]) {
    await client.call("prompt.submit", { session_id, text: "go" });
    await client.ended(session_id, turns);
  }
  await client.call("session.undo", { session_id });
  const { removed, before_messages, after_messages } = await client.call("session.compress", { session_id });
  await client.call("prompt.submit", { session_id, text: "next" });
  await client.ended(session_id, 5);
  const [sent, now] = [model.requests.at(3), model.requests.at(-1)].map(
    (request) => request?.messages.length,
  );
  // The prompts that came after are no part of either.
  expect([before_messages, after_messages]).toEqual([Number(sent) - 1, Number(now) - 1]);
  expect(removed).toBe(before_messages - after_messages);
  expect(removed).toBeGreaterThan(0);
});

test("a branch is a session of its own, undo gives the prompt back, compression tells what it did", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  await client.call("session.create", {});
  const { session_id } = await client.call("session.create", { title: "Work" });
  expect(await client.call("session.list")).toMatchObject({
    sessions: [{ id: session_id, title: "Work", model: "script" }],
  });
  expect((await client.ask("session.branch", { session_id })).error?.code).toBe(4008);
  await client.call("prompt.submit", { session_id, text: "one" });
  await client.ended(session_id);
  const branch = await client.call("session.branch", { session_id });
  expect(branch).toMatchObject({
    parent: session_id,
    title: "Work #2",
    messages: [{ text: "one" }, { text: "ok" }],
  });
  expect(await client.call("session.undo", { session_id })).toEqual({ removed: 2, prompts: ["one"] });
  expect(await client.call("session.history", { session_id: branch.session_id })).toMatchObject({ count: 2 });
  expect((await client.ask("session.undo", { session_id })).error?.code).toBe(4018);
  expect(await client.call("session.compress", { session_id })).toMatchObject({
    status: "aborted",
    summary: { noop: true, note: expect.any(String) },
  });
  const long = await client.ask("session.title", { session_id, title: "x".repeat(101) });
  expect(long.error?.code).toBe(4022);
  // Several may have one title: the newest is meant, and the answer says so.
  await client.call("session.title", { session_id: branch.session_id, title: "Work" });
  expect(await client.call("session.resume", { session_id: "Work" })).toMatchObject({
    resumed: branch.session_id,
    note: expect.stringContaining(`Others: ${String(session_id)}.`),
  });
  expect((await client.ask("session.title", { session_id, title: "" })).error?.code).toBe(4021);
  expect((await client.ask("session.steer", { session_id, text: "" })).error?.code).toBe(4002);
  expect(await client.call("session.steer", { session_id, text: "x" })).toEqual({
    status: "rejected",
    text: "x",
  });
});
