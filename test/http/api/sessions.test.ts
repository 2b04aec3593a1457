import { describe, expect, test } from "vitest";
import { StatelessSweeper } from "../../../src/http/turns/stateless-sweeper.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { handClock } from "../../kit/clock.ts";
import { callTool, fail, gate, say, scriptedModel, used, wait } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { openStream, type Stage, stageWith, wireEvents } from "../stage.ts";

type Json = Record<string, unknown>;
const json = async (answer: Response): Promise<Json> => (await answer.json()) as Json;
const create = async (stage: Stage, body: object = {}): Promise<string> => {
  const answer = await stage.post("/api/sessions", body);
  expect(answer.status).toBe(201);
  return ((await json(answer))["session"] as { id: string }).id;
};
const patch = (stage: Stage, id: string, body: object): Promise<Response> =>
  stage.ask(`/api/sessions/${id}`, { method: "PATCH", body: JSON.stringify(body) });
const codeOf = async (answer: Response): Promise<readonly unknown[]> => [
  answer.status,
  ((await json(answer))["error"] as { code: string }).code,
];

describe("sessions over the API", () => {
  test("are made, read, changed and deleted", async () => {
    await using stage = await stageWith(scriptedModel());
    const empty = await stage.ask("/api/sessions", { method: "POST" });
    expect(empty.status).toBe(201);
    const id = await create(stage, {
      id: "mine",
      title: "First",
      system_prompt: "Be kind.",
      model: "p:m",
      source: "odd",
    });
    expect(id).toBe("mine");
    expect(await json(await stage.ask("/api/sessions/mine"))).toMatchObject({
      object: "agent.session",
      session: {
        id,
        title: "First",
        source: "odd",
        model: "m",
        has_system_prompt: true,
        has_model_config: true,
        message_count: 0,
        ended_at: null,
      },
    });
    for (const reason of [null, " ", "x".repeat(201), "done\u001b[31m"])
      expect(await codeOf(await patch(stage, id, { end_reason: reason }))).toEqual([
        400,
        "invalid_session_field",
      ]);
    expect(await json(await patch(stage, id, { title: "Second", end_reason: "done" }))).toMatchObject({
      session: { title: "Second", end_reason: "done" },
    });
    const untitled = await json(await patch(stage, id, { title: null, end_reason: "again" }));
    expect(untitled).toMatchObject({ session: { end_reason: "done" } });
    expect(untitled).not.toHaveProperty("session.title");
    const gone = await stage.ask("/api/sessions/mine", { method: "DELETE" });
    expect(await json(gone)).toEqual({ object: "agent.session.deleted", id: "mine", deleted: true });
    expect(await codeOf(await stage.ask("/api/sessions/mine", { method: "DELETE" }))).toEqual([
      404,
      "session_not_found",
    ]);
  });

  test("have a mode, which a client may make stricter than the owner's approvals, and not looser", async () => {
    await using stage = await stageWith(scriptedModel());
    const id = await create(stage, { mode: "plan" });
    const shown = async (): Promise<unknown> =>
      ((await json(await stage.ask(`/api/sessions/${id}`)))["session"] as Json)["mode"];
    expect(await shown()).toBe("plan");
    expect((await patch(stage, id, { mode: "edits" })).status).toBe(200);
    expect(await shown()).toBe("edits");
    expect(await codeOf(await patch(stage, id, { mode: "all" }))).toEqual([403, "mode_not_allowed"]);
    expect(await codeOf(await patch(stage, id, { mode: "wild" }))).toEqual([400, "invalid_mode"]);
    expect(await shown()).toBe("edits");
    await (await stage.post(`/api/sessions/${id}/chat`, { input: "hi", mode: "ask" })).text();
    expect(await shown()).toBe("ask");
  });

  test("are refused with what is wrong, and nothing is changed", async () => {
    await using stage = await stageWith(scriptedModel());
    await create(stage, { id: "mine", title: "Taken" });
    expect(await codeOf(await stage.post("/api/sessions", { id: "mine" }))).toEqual([409, "session_exists"]);
    expect(await codeOf(await stage.post("/api/sessions", { id: "../x" }))).toEqual([
      400,
      "invalid_session_id",
    ]);
    expect((await stage.post("/api/sessions", { title: "Taken" })).status).toBe(201);
    expect(await codeOf(await stage.post("/api/sessions", { system_prompt: 5 }))).toEqual([
      400,
      "invalid_system_prompt",
    ]);
    expect(await codeOf(await patch(stage, "mine", { title: "New", colour: 1 }))).toEqual([
      400,
      "unsupported_session_field",
    ]);
    expect(await json(await stage.ask("/api/sessions/mine"))).toMatchObject({ session: { title: "Taken" } });
    const same = await Promise.all(
      Array.from({ length: 10 }, () => stage.post("/api/sessions", { id: "one" })),
    );
    expect(same.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ]);
    for (const path of ["", "/messages"])
      expect(await codeOf(await stage.ask(`/api/sessions/nobody${path}`))).toEqual([
        404,
        "session_not_found",
      ]);
  });

  test("are listed with paging, newest activity first; junk in the query is the default", async () => {
    await using stage = await stageWith(scriptedModel());
    for (const id of ["a", "b", "c"]) await create(stage, { id });
    await (await stage.post("/api/sessions/a/chat", { input: "hi" })).text();
    const ids = async (query: string): Promise<unknown> => {
      const { data, has_more: more } = await json(await stage.ask(`/api/sessions${query}`));
      return [(data as { id: string }[]).map(({ id }) => id), more];
    };
    expect(((await ids("")) as [string[]])[0][0]).toBe("a");
    expect(await ids("?limit=1")).toEqual([["a"], true]);
    expect(await ids("?limit=junk&offset=-1&source=api_server")).toMatchObject([
      expect.arrayContaining(["a", "b", "c"]),
      false,
    ]);
    expect(await ids("?source=nowhere")).toEqual([[], false]);
  });

  test("are found by what was said in them, with the place marked, page by page", async () => {
    await using stage = await stageWith(scriptedModel([say("A leap second.")], [say("A leap year.")]));
    for (const id of ["a", "b"]) {
      await create(stage, { id });
      await (await stage.post(`/api/sessions/${id}/chat`, { input: `What is it, ${id}?` })).text();
    }
    const found = async (query: string) => await json(await stage.ask(`/api/sessions?search=${query}`));
    const match = {
      kind: "answer",
      text: "A leap second.",
      places: 1,
      marks: [
        [2, 6],
        [7, 13],
      ],
    };
    expect(await found("leap%20second")).toMatchObject({
      object: "list",
      data: [{ id: "a", match }],
      has_more: false,
      complete: true,
    });
    const first = await found("leap&limit=1");
    expect(first["has_more"]).toBe(true);
    const second = await found(`leap&limit=1&cursor=${String(first["next_cursor"])}`);
    const ids = [first, second].flatMap(({ data }) => (data as { id: string }[]).map(({ id }) => id));
    expect([ids.toSorted(), second["has_more"]]).toEqual([["a", "b"], false]);
    for (const query of ["%22*", "leap&offset=1", "leap&title=a", "leap&cursor=x"])
      expect([query, (await stage.ask(`/api/sessions?search=${query}`)).status]).toEqual([query, 400]);
  });

  test("answer a chat, which every other surface sees", async () => {
    const model = scriptedModel([say("Hello"), used(2, 1)]);
    await using stage = await stageWith(model);
    const id = await create(stage);
    const answer = await stage.post(
      `/api/sessions/${id}/chat`,
      { message: [{ type: "text", text: "hi" }], instructions: "Brief." },
      { "x-agent-session-key": "k" },
    );
    expect([answer.headers.get("x-agent-session-id"), answer.headers.get("x-agent-session-key")]).toEqual([
      id,
      "k",
    ]);
    expect(await json(answer)).toMatchObject({
      object: "agent.session.chat.completion",
      session_id: id,
      message: { role: "assistant", content: "Hello" },
      usage: { input_tokens: 2, output_tokens: 1, total_tokens: 3 },
      runtime: { provider: "scripted", model: "script" },
    });
    expect(model.requests[0]?.system).toContain("Brief.");
    expect((await (await stage.host.session(id)).refresh()).counts.turns).toBe(1);
    expect(await codeOf(await stage.post(`/api/sessions/${id}/chat`, {}))).toEqual([400, "missing_message"]);
    expect(
      await codeOf(await stage.post(`/api/sessions/${id}/chat`, { input: "x", system_message: 1 })),
    ).toEqual([400, "invalid_system_message"]);
    expect(await codeOf(await stage.post("/api/sessions/nobody/chat", { input: "x" }))).toEqual([
      404,
      "session_not_found",
    ]);
  });

  test("take turns one after the other", async () => {
    const hold = gate();
    const model = scriptedModel([wait(hold), say("one")], [say("two")]);
    await using stage = await stageWith(model);
    const id = await create(stage);
    const first = stage.post(`/api/sessions/${id}/chat`, { input: "1" });
    await hold.reached;
    const second = stage.post(`/api/sessions/${id}/chat`, { input: "2" });
    hold.open();
    expect(await json(await first)).toMatchObject({ message: { content: "one" } });
    expect(await json(await second)).toMatchObject({ message: { content: "two" } });
    expect(model.seen[1]).toEqual(["1", "2"]);
  });

  test("stream a turn, whose run can be read and stopped by its id", async () => {
    const hold = gate();
    const model = scriptedModel(
      [say("Looking. "), callTool("look", { a: 1 }, "c1")],
      [say("Done."), wait(hold)],
    );
    await using stage = await stageWith(model, { host: { toolsets: toolsOf(testTool("look")) } });
    const id = await create(stage);
    const stream = await openStream(stage, `/api/sessions/${id}/chat/stream`, {
      method: "POST",
      body: { input: "hi" },
    });
    await hold.reached;
    const text = await stream.until((so) => so.includes("Done."));
    const { run_id: run } = JSON.parse(wireEvents(text)[0]?.data ?? "") as { run_id: string };
    expect(await json(await stage.ask(`/v1/runs/${run}`))).toMatchObject({
      status: "running",
      session_id: id,
    });
    hold.open();
    const events = wireEvents(await stream.end);
    const payloads = events.map(({ data }) => JSON.parse(data ?? "") as Readonly<Record<string, unknown>>);
    expect(payloads.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    const ofTool = payloads.filter((_payload, index) => events[index]?.event.startsWith("tool.") === true);
    expect(ofTool.map(({ args }) => args)).toEqual([{ a: 1 }, { a: 1 }]);
    expect(events.map(({ event }) => event).filter((name, index, all) => name !== all[index - 1])).toEqual([
      "run.started",
      "message.started",
      "assistant.delta",
      "tool.started",
      "tool.completed",
      "assistant.delta",
      "assistant.completed",
      "run.completed",
      "done",
    ]);
    for (const { data } of events) expect(JSON.parse(data)).toMatchObject({ session_id: id, run_id: run });
    const named = (name: string): Json =>
      JSON.parse(events.find(({ event }) => event === name)?.data ?? "{}") as Json;
    expect(named("run.started")).toMatchObject({ user_message: { role: "user", content: "hi" } });
    expect(named("tool.started")).toMatchObject({ tool_name: "look", args: { a: 1 }, preview: "look" });
    expect(named("assistant.completed")).toMatchObject({ content: "Looking. \n\nDone.", completed: true });
    expect(named("run.completed")).toMatchObject({
      completed: true,
      messages: [{ role: "assistant" }, { role: "tool" }, { role: "assistant" }],
    });
  });

  test("say in a stream that a turn failed", async () => {
    await using stage = await stageWith(scriptedModel([fail(new HostError("provider_bad_request", "No."))]));
    const id = await create(stage);
    const events = wireEvents(
      await (await stage.post(`/api/sessions/${id}/chat/stream`, { input: "hi" })).text(),
    );
    expect(events.slice(-4).map(({ event }) => event)).toEqual([
      "assistant.completed",
      "run.failed",
      "error",
      "done",
    ]);
    expect(await codeOf(await stage.post(`/api/sessions/${id}/chat/stream`, {}))).toEqual([
      400,
      "missing_message",
    ]);
  });

  test("give their messages in pages", async () => {
    const model = scriptedModel([say("Looking."), callTool("look", {}, "c1")], [say("Done.")]);
    await using stage = await stageWith(model, { host: { toolsets: toolsOf(testTool("look")) } });
    const id = await create(stage);
    await (await stage.post(`/api/sessions/${id}/chat`, { input: "hi" })).text();
    await (await stage.post(`/api/sessions/${id}/chat`, { input: "more" })).text();
    const page = async (query: string): Promise<Json> =>
      await json(await stage.ask(`/api/sessions/${id}/messages${query}`));
    const roles = (answer: Json): readonly unknown[] =>
      (answer["data"] as { role: string }[]).map(({ role }) => role);
    const all = await page("");
    expect(roles(all)).toEqual(["user", "assistant", "tool", "assistant", "user", "assistant"]);
    expect(all).toMatchObject({
      object: "list",
      session_id: id,
      pagination: { limit: 500, offset: 0, order: "latest", returned: 6 },
      data: [
        { content: "hi", session_id: id },
        { tool_calls: [{ function: { name: "look" } }] },
        { tool_name: "look", content: "look ran" },
        {},
        {},
        {},
      ],
    });
    expect(roles(await page("?limit=2&offset=1"))).toEqual(["assistant", "tool"]);
    expect(roles(await page("?limit=2&offset=1&order=latest"))).toEqual(["assistant", "user"]);
    expect(roles(await page("?limit=5&offset=100"))).toEqual([]);
    for (const query of ["?limit=0", "?limit=501", "?limit=x", "?offset=-1", "?order=odd"])
      expect(await codeOf(await stage.ask(`/api/sessions/${id}/messages${query}`)), query).toEqual([
        400,
        "invalid_pagination",
      ]);
  });

  test("keep the source that their client names, and are found by it", async () => {
    const clock = handClock();
    await using stage = await stageWith(scriptedModel(), { host: { clock } });
    const id = await create(stage, { source: "my-app" });
    expect(await json(await stage.ask("/api/sessions?source=my-app"))).toMatchObject({
      data: [{ id, source: "my-app" }],
    });
    for (const source of ["a\u001b[31m", "x".repeat(65)])
      expect(await codeOf(await stage.post("/api/sessions", { source }))).toEqual([400, "invalid_source"]);
    // One that is called as the server calls its own hidden ones is not swept away with them.
    const odd = await create(stage, { source: "api_stateless" });
    clock.advance(25 * 60 * 60_000);
    const sweeper = new StatelessSweeper(stage.host);
    expect(await sweeper.sweep()).toBe(0);
    sweeper.close();
    expect((await stage.ask(`/api/sessions/${odd}`)).status).toBe(200);
  });

  test("tell the first session of their lineage, also when it is gone", async () => {
    await using stage = await stageWith(scriptedModel());
    const first = await create(stage, { title: "Plan" });
    const fork = async (from: string, id: string): Promise<void> =>
      void (await stage.post(`/api/sessions/${from}/fork`, { id }));
    await fork(first, "second");
    await fork("second", "third");
    const { id: child } = await stage.host.open({ parentId: "third" });
    const rootOf = async (id: string): Promise<unknown> =>
      ((await json(await stage.ask(`/api/sessions/${id}`)))["session"] as Json)["_lineage_root_id"];
    for (const id of [first, "second", "third", child]) expect(await rootOf(id)).toBe(first);
    const listed = await json(await stage.ask("/api/sessions?include_children=true"));
    const roots = (listed["data"] as readonly Json[]).map((each) => each["_lineage_root_id"]);
    expect(roots).toEqual([first, first, first, first]);
    await stage.ask(`/api/sessions/${first}`, { method: "DELETE" });
    expect(await rootOf("third")).toBe(first);
  });

  test("may have any letters in their id, and the header of an answer names them for the next request", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    const id = await create(stage, { id: "会話 à é" });
    const path = `/api/sessions/${encodeURIComponent(id)}/chat`;
    const chat = await stage.post(path, { input: "one" });
    expect(await json(chat)).toMatchObject({ session_id: id });
    const header = chat.headers.get("x-agent-session-id") ?? "";
    expect(header).toMatch(/^[ -~]+$/);
    expect(decodeURIComponent(header)).toBe(id);
    expect(await (await stage.post(`${path}/stream`, { input: "two" })).text()).toContain("event: done");
    const messages = [{ role: "user", content: "three" }];
    const headers = { "x-agent-session-id": header };
    const next = await stage.post("/v1/chat/completions", { messages }, headers);
    expect(next.headers.get("x-agent-session-id")).toBe(header);
    expect(model.seen.at(-1)).toEqual(["one", "two", "three"]);
  });

  test("are forked, and the source stays as it is", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    const id = await create(stage, { title: "Plan", source: "notes" });
    await (await stage.post(`/api/sessions/${id}/chat`, { input: "one" })).text();
    const fork = await stage.post(`/api/sessions/${id}/fork`, { id: "copy" });
    expect(fork.status).toBe(201);
    expect(await json(fork)).toMatchObject({
      session: { id: "copy", source: "api_server", parent_session_id: id, message_count: 2 },
    });
    await (await stage.post("/api/sessions/copy/chat", { input: "two" })).text();
    expect(model.seen[1]).toEqual(["one", "two"]);
    const source = await json(await stage.ask(`/api/sessions/${id}`));
    expect(source).toMatchObject({ session: { message_count: 2, ended_at: null } });
    expect(source).not.toHaveProperty("session.end_reason");
    expect(await codeOf(await stage.post(`/api/sessions/${id}/fork`, { id: "copy" }))).toEqual([
      409,
      "session_exists",
    ]);
    const named = await stage.post(`/api/sessions/${id}/fork`, { title: "Plan", source: "notes" });
    expect([named.status, await json(named)]).toMatchObject([201, { session: { source: "notes" } }]);
  });

  test("are forked also before anything was said in them", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    const id = await create(stage, { title: "Plan", system_prompt: "Be brief." });
    const fork = await stage.post(`/api/sessions/${id}/fork`, { id: "copy" });
    expect(fork.status).toBe(201);
    expect(await json(fork)).toMatchObject({
      session: { title: "Plan #2", parent_session_id: id, message_count: 0, has_system_prompt: true },
    });
    const chat = await stage.post("/api/sessions/copy/chat", { input: "one" });
    expect(await json(chat)).toMatchObject({ message: { content: "ok" } });
    expect(await json(await stage.ask(`/api/sessions/${id}`))).toMatchObject({
      session: { message_count: 0 },
    });
    expect(await codeOf(await stage.post(`/api/sessions/${id}/fork`, { id: "copy" }))).toEqual([
      409,
      "session_exists",
    ]);
  });

  test("begin a turn once for ten posts with one key", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    const id = await create(stage);
    for (const path of ["chat", "chat/stream"]) {
      const posts = Array.from({ length: 10 }, () =>
        stage.post(`/api/sessions/${id}/${path}`, { input: path }, { "idempotency-key": "k" }),
      );
      const bodies = await Promise.all(
        posts.map(async (post) => (await (await post).text()).replaceAll(/"ts":[\d.]+/g, "")),
      );
      expect(new Set(bodies).size).toBe(1);
    }
    expect(model.requests).toHaveLength(2);
  });
});
