import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { handClock } from "../../kit/clock.ts";
import {
  callTool,
  fail,
  gate,
  say,
  scriptedModel,
  scriptedModelWith,
  used,
  wait,
} from "../../kit/scripted-model.ts";
import { testTool, toolsOf, untilTrue } from "../../kit/test-host.ts";
import { openStream, stageWith, wireEvents } from "../stage.ts";

const CHAT = "/v1/chat/completions";
const hi = { model: "agent", messages: [{ role: "user" as const, content: "hi" }] };

describe("a chat completion with the stock client", () => {
  test("comes whole, with usage and the label of its conversation", async () => {
    await using stage = await stageWith(scriptedModel([say("Hello "), say("you"), used(7, 3)]));
    const { data, response } = await stage.openai.chat.completions.create(hi).withResponse();
    expect(data).toMatchObject({
      object: "chat.completion",
      model: "agent",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello you" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
    expect(data.id).toMatch(/^chatcmpl-[0-9a-f]{29}$/);
    // Readers that check the form want these too.
    expect(data.choices[0]).toMatchObject({ logprobs: null, message: { refusal: null } });
    expect(response.headers.get("x-agent-session-id")).toMatch(/^api-[0-9a-f]{16}$/);
  });

  test("streams through the helper, which ends with the same answer", async () => {
    await using stage = await stageWith(scriptedModel([say("Hel"), say("lo"), used(1, 2)]));
    const stream = stage.openai.chat.completions.stream({ ...hi, stream_options: { include_usage: true } });
    let text = "";
    stream.on("content", (delta) => (text += delta));
    const final = await stream.finalChatCompletion();
    expect(text).toBe("Hello");
    expect(final.choices[0]).toMatchObject({ message: { content: "Hello" }, finish_reason: "stop" });
    expect(final.usage).toMatchObject({ total_tokens: 3 });
  });

  test("shows the tools that ran on the server beside the text, once running and once completed", async () => {
    const model = scriptedModel([say("Looking. "), callTool("look", {}, "c1")], [say("Done.")]);
    await using stage = await stageWith(model, { host: { toolsets: toolsOf(testTool("look")) } });
    const answer = await stage.post(CHAT, { ...hi, stream: true });
    const events = wireEvents(await answer.text());
    const progress = events
      .filter(({ event }) => event === "agent.tool.progress")
      .map(({ data }) => JSON.parse(data));
    expect(progress).toMatchObject([
      {
        tool: "look",
        label: "look",
        toolCallId: "c1",
        status: "running",
        choices: [{ index: 0, delta: {}, finish_reason: null }],
      },
      { tool: "look", toolCallId: "c1", status: "completed", object: "chat.completion.chunk" },
    ]);
    expect(events.at(-1)?.data).toBe("[DONE]");
    const chunks = events.slice(0, -1).map(({ data }) => JSON.parse(data));
    expect(chunks[0].choices[0].delta).toEqual({ role: "assistant" });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Looking. \n\nDone.");
    // The stock helper reads over what it does not know.
    model.script([callTool("look")], [say("Again.")]);
    expect(await stage.openai.chat.completions.stream(hi).finalContent()).toBe("Again.");
  });

  test("takes a whole conversation: roles, parts, calls and their results", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    await stage.openai.chat.completions.create({
      model: "agent",
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "system", content: [{ type: "text", text: "Be kind." }] },
        {
          role: "user",
          content: [
            { type: "text", text: "one" },
            { type: "text", text: "two" },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "t1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
        },
        { role: "tool", tool_call_id: "t1", content: "42" },
        { role: "assistant", content: "It is 42." },
        { role: "user", content: "thanks" },
      ],
    });
    const [request] = model.requests;
    expect(request?.system).toContain("Be brief.\nBe kind.");
    expect(request?.messages).toMatchObject([
      { role: "user", parts: [{ text: "one" }, { text: "two" }] },
      { role: "assistant", calls: [{ id: "t1", name: "f", input: { a: 1 } }] },
      { role: "tool", results: [{ callId: "t1", content: [{ text: "42" }] }] },
      { role: "assistant", text: "It is 42." },
      { role: "user", parts: [{ text: "thanks" }] },
    ]);
  });

  test("takes images as data and by address", async () => {
    const model = scriptedModel();
    const images = { fetch: () => Promise.resolve({ bytes: new Uint8Array([9]), mediaType: "image/gif" }) };
    await using stage = await stageWith(model, { images });
    await stage.openai.chat.completions.create({
      model: "agent",
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,AQID", detail: "low" } },
            { type: "image_url", image_url: { url: "https://pictures.test/a.gif" } },
          ],
        },
      ],
    });
    const parts = model.requests[0]?.messages[0];
    expect(parts).toMatchObject({
      parts: [
        { type: "image", mediaType: "image/png", detail: "low" },
        { type: "image", mediaType: "image/gif" },
      ],
    });
  });

  test("goes on in the session that the client names, by label or by id", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    const { response } = await stage.openai.chat.completions.create(hi).withResponse();
    const label = response.headers.get("x-agent-session-id") ?? "";
    await stage.post(
      CHAT,
      { messages: [{ role: "user", content: "and now?" }] },
      { "x-agent-session-id": label },
    );
    expect(model.seen[1]).toEqual(["hi", "and now?"]);
    for (const content of ["first", "second"])
      await stage.post(CHAT, { messages: [{ role: "user", content }] }, { "x-agent-session-id": "my-own" });
    expect(model.seen[3]).toEqual(["first", "second"]);
    // Stateless sessions are in no list, named ones are.
    expect((await stage.host.list({ limit: 9, offset: 0 })).map(({ id }) => id)).toEqual(["my-own"]);
    const bad = await stage.post(CHAT, hi, { "x-agent-session-id": "../etc" });
    expect(bad.status).toBe(400);
  });

  test("answers under the model that was asked for, by body or header, and warns of unknown ones", async () => {
    const model = scriptedModel();
    const resolve = model.resolve.bind(model);
    const strict = {
      ...model,
      resolve: (ref: { provider?: string; model?: string }) => {
        if (ref.model === "gone") throw new HostError("model_unknown", "There is no gone.");
        return resolve(ref);
      },
    };
    await using stage = await stageWith(strict);
    const answer = await stage.post(CHAT, { ...hi, model: "body" }, { "x-agent-model": "p:header" });
    expect(await answer.json()).toMatchObject({ model: "p:header" });
    const lenient = await stage.post(CHAT, { ...hi, model: "gone" });
    expect(lenient.headers.get("x-agent-warning")).toContain("gone");
    const insisted = await stage.post(CHAT, hi, { "x-agent-model": "gone" });
    expect(insisted.status).toBe(400);
    expect(await insisted.json()).toMatchObject({ error: { code: "model_unknown", param: "model" } });
  });

  test("asks the model for its faster tier when the client wants priority", async () => {
    const model = scriptedModelWith({ hasFastTier: true });
    await using stage = await stageWith(model);
    await stage.openai.chat.completions.create({ ...hi, service_tier: "priority" });
    await stage.post(CHAT, { ...hi, model_options: { fast: true } });
    await stage.openai.chat.completions.create({ ...hi, service_tier: "auto" });
    expect(model.requests.map(({ fast }) => fast)).toEqual([true, true, undefined]);
  });

  test("echoes the session key, and refuses one that is too long", async () => {
    await using stage = await stageWith(scriptedModel());
    const good = await stage.post(CHAT, hi, { "x-agent-session-key": " anna " });
    expect(good.headers.get("x-agent-session-key")).toBe("anna");
    expect((await stage.post(CHAT, hi, { "x-agent-session-key": "x".repeat(257) })).status).toBe(400);
  });

  test("says that tools of the client do not run: by a header, or by refusing when one is forced", async () => {
    await using stage = await stageWith(scriptedModel());
    const tools = [{ type: "function" as const, function: { name: "mine", parameters: {} } }];
    const { response } = await stage.openai.chat.completions.create({ ...hi, tools }).withResponse();
    expect(response.headers.get("x-agent-warning")).toContain("tools");
    const { response: ignored } = await stage.openai.chat.completions
      .create({ ...hi, n: 2, stop: ["x"], max_tokens: 5, response_format: { type: "json_object" } })
      .withResponse();
    expect(ignored.headers.get("x-agent-warning")).toBe("not honoured: n, response_format, stop, max_tokens");
    const forced = stage.openai.chat.completions.create({ ...hi, tools, tool_choice: "required" });
    await expect(forced).rejects.toMatchObject({
      status: 400,
      code: "unsupported_parameter",
      param: "tool_choice",
    });
  });

  test.each(["false", 0, "no", "nonsense", null])("stream %j is no stream", async (stream) => {
    await using stage = await stageWith(scriptedModel());
    const answer = await stage.post(CHAT, { ...hi, stream });
    expect(answer.headers.get("content-type")).toContain("application/json");
  });
});

describe("a chat completion that fails", () => {
  const broken = (): HostError => new HostError("provider_bad_request", "The model said no.");

  test("without a word is 502, with the stock client's error class", async () => {
    await using stage = await stageWith(scriptedModel([fail(broken())]));
    const answer = stage.openai.chat.completions.create(hi);
    await expect(answer).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(answer).rejects.toMatchObject({ status: 502, code: "agent_incomplete" });
  });

  test("for want of the provider's key is 502 provider_auth, and the log says why", async () => {
    await using stage = await stageWith(scriptedModel([fail(new HostError("provider_auth", "No key."))]));
    const failure = { status: 502, code: "provider_auth" };
    await expect(stage.openai.chat.completions.create(hi)).rejects.toMatchObject(failure);
    expect(stage.log.at(-1)).toMatchObject({ event: "http.request", ...failure, error: "No key." });
  });

  test("after some words is 200 with what was said and what is missing", async () => {
    await using stage = await stageWith(scriptedModel([say("Half"), fail(broken())]));
    const answer = await stage.post(CHAT, hi);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-agent-completed")).toBe("false");
    expect(answer.headers.get("x-agent-partial")).toBe("true");
    expect(await answer.json()).toMatchObject({
      choices: [{ message: { content: "Half" }, finish_reason: "error" }],
      agent: { completed: false, partial: true, failed: true },
    });
  });

  test("ends its stream with the error and [DONE]", async () => {
    await using stage = await stageWith(scriptedModel([say("Half"), fail(broken())]));
    const events = wireEvents(await (await stage.post(CHAT, { ...hi, stream: true })).text());
    expect(JSON.parse(events.at(-2)?.data ?? "")).toMatchObject({
      choices: [{ delta: {}, finish_reason: "error" }],
      error: { message: "The model said no." },
    });
    expect(events.at(-1)?.data).toBe("[DONE]");
  });

  test("by its length says so", async () => {
    await using stage = await stageWith(scriptedModel([say("Hal"), { type: "finish", reason: "length" }]));
    expect((await stage.openai.chat.completions.create(hi)).choices[0]?.finish_reason).toBe("length");
  });
});

describe("a reader that leaves", () => {
  test("stops a stateless chat after the grace, and not before", async () => {
    const clock = handClock();
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("a"), wait(hold)]), { host: { clock } });
    const stream = await openStream(stage, CHAT, { method: "POST", body: { ...hi, stream: true } });
    await stream.until((text) => text.includes('"content":"a"'));
    stream.leave();
    await untilTrue(() => clock.pending().some(({ in: ms }) => ms === 30_000));
    clock.advance(29_999);
    expect(stage.host.running).toBe(1);
    clock.advance(1);
    await untilTrue(() => stage.host.running === 0);
    const [record] = await stage.host.list({ limit: 1, offset: 0, includeHidden: true });
    expect((await (await stage.host.session(record?.id ?? "")).refresh()).lastTurn?.outcome).toBe(
      "cancelled",
    );
  });

  test("does not stop one whose key another reader has joined", async () => {
    const clock = handClock();
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("a"), wait(hold), say("b")]), { host: { clock } });
    const open = { method: "POST", body: { ...hi, stream: true }, headers: { "idempotency-key": "k" } };
    const first = await openStream(stage, CHAT, open);
    const second = await openStream(stage, CHAT, open);
    await Promise.all([first, second].map((each) => each.until((text) => text.includes('"content":"a"'))));
    expect(second.headers["idempotency-replayed"]).toBe("true");
    first.leave();
    clock.advance(60_000);
    hold.open();
    expect(await second.end).toMatch(/"content":"b".*\[DONE\]\n\n$/s);
  });

  test("never stops the turn of a session that it named", async () => {
    const clock = handClock();
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("a"), wait(hold), say("b")]), { host: { clock } });
    const headers = { "x-agent-session-id": "mine" };
    const stream = await openStream(stage, CHAT, { method: "POST", body: { ...hi, stream: true }, headers });
    await stream.until((text) => text.includes('"content":"a"'));
    stream.leave();
    clock.advance(3_600_000);
    hold.open();
    await untilTrue(() => stage.host.running === 0);
    expect((await (await stage.host.session("mine")).refresh()).lastTurn?.outcome).toBe("completed");
  });
});

describe("an Idempotency-Key", () => {
  test("makes ten posts at once one turn with one answer, whole and streamed", async () => {
    for (const stream of [false, true]) {
      const model = scriptedModelWith({ otherwise: () => [say("once")] });
      await using stage = await stageWith(model);
      const posts = Array.from({ length: 10 }, () =>
        stage.post(CHAT, { ...hi, stream }, { "idempotency-key": "k1" }),
      );
      const bodies = await Promise.all(posts.map(async (post) => (await post).text()));
      expect(new Set(bodies).size).toBe(1);
      expect(bodies[0]).toContain("once");
      expect(model.requests).toHaveLength(1);
    }
  });

  test("gives the same answer later, also from another process on the same home", async () => {
    const model = scriptedModel([say("once")]);
    await using stage = await stageWith(model);
    await using twin = await stageWith(model, { host: { store: stage.host.services.store } });
    const headers = { "idempotency-key": "k1" };
    const first = await (await stage.post(CHAT, hi, headers)).text();
    expect(await (await stage.post(CHAT, hi, headers)).text()).toBe(first);
    const replay = await twin.post(CHAT, hi, headers);
    expect(await replay.text()).toBe(first);
    expect(replay.headers.get("idempotency-replayed")).toBe("true");
    expect(model.requests).toHaveLength(1);
  });

  test("is refused for another request, and when it is no key", async () => {
    await using stage = await stageWith(scriptedModel());
    await stage.post(CHAT, hi, { "idempotency-key": "k1" });
    const other = await stage.post(CHAT, { ...hi, temperature: 1 }, { "idempotency-key": "k1" });
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ error: { code: "idempotency_key_conflict" } });
    const bad = await stage.post(CHAT, hi, { "idempotency-key": "a b" });
    expect(await bad.json()).toMatchObject({ error: { code: "invalid_idempotency_key" } });
  });

  test("is free again when nothing was done, and kept when a tool had done something", async () => {
    const broken = new HostError("provider_bad_request", "no");
    const model = scriptedModel([fail(broken)], [say("fine")]);
    const toolsets = toolsOf(testTool("change", { effect: "idempotent" }));
    await using stage = await stageWith(model, {
      host: {
        toolsets,
        policy: {
          ...DEFAULT_POLICY,
          approvals: { mode: "off" as const, allowed: [], denied: [], timeoutMs: 1000 },
        },
      },
    });
    const send = (key: string): Promise<Response> => stage.post(CHAT, hi, { "idempotency-key": key });
    expect((await send("a")).status).toBe(502);
    expect((await send("a")).status).toBe(200);
    model.script([callTool("change")], [fail(broken)]);
    const failed = await send("b");
    const again = await send("b");
    expect([failed.status, again.status]).toEqual([502, 502]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });
});

describe("a server with enough to do", () => {
  test("answers 429 with a time to come back", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([wait(hold)]), { settings: { maxConcurrentRuns: 1 } });
    const first = stage.post(CHAT, hi);
    await hold.reached;
    const second = await stage.post(CHAT, hi);
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await second.json()).toMatchObject({
      error: { type: "rate_limit_error", code: "rate_limit_exceeded" },
    });
    hold.open();
    expect((await first).status).toBe(200);
    expect((await stage.post(CHAT, hi)).status).toBe(200);
  });

  test("lets some wait for their turn, and answers 429 to those for whom there is no place", async () => {
    const hold = gate();
    const settings = { maxConcurrentRuns: 2, maxQueuedRuns: 3 };
    await using stage = await stageWith(
      scriptedModel(...Array.from({ length: 5 }, () => [wait(hold), say("done")])),
      { settings },
    );
    let refused = 0;
    const asked = Array.from({ length: 8 }, async () => {
      const { status } = await stage.post(CHAT, hi);
      if (status === 429) refused += 1;
      return status;
    });
    // They are answered while the others still run and wait.
    await untilTrue(() => refused === 3);
    hold.open();
    expect((await Promise.all(asked)).toSorted((a, b) => a - b)).toEqual([
      200, 200, 200, 200, 200, 429, 429, 429,
    ]);
    expect(stage.api.running).toBe(0);
  });

  test("that shuts down refuses those who wait", async () => {
    const hold = gate();
    const settings = { maxConcurrentRuns: 1, maxQueuedRuns: 1 };
    await using stage = await stageWith(scriptedModel([wait(hold), say("a")]), { settings });
    const first = stage.post(CHAT, hi);
    await hold.reached;
    const second = stage.post(CHAT, hi);
    const third = await stage.post(CHAT, hi);
    expect(third.status).toBe(429);
    stage.api.drain();
    expect((await second).status).toBe(503);
    hold.open();
    expect((await first).status).toBe(200);
  });

  test("that shuts down answers 503, and lets what runs come to its end", async () => {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("a"), wait(hold), say("b")]));
    const stream = await openStream(stage, CHAT, { method: "POST", body: { ...hi, stream: true } });
    await hold.reached;
    stage.api.drain();
    const closing = stage.host.close({ drainMs: 60_000 });
    const refused = await stage.post(CHAT, hi);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ error: { code: "gateway_draining" } });
    hold.open();
    await closing;
    expect(await stream.end).toMatch(/"content":"b".*\[DONE\]\n\n$/s);
  });
});

test("a client that leaves before its answer is there is no failure of the server", async () => {
  for (const path of [CHAT, "/api/sessions/s/chat"]) {
    const hold = gate();
    await using stage = await stageWith(scriptedModel([wait(hold), say("late")]));
    await stage.post("/api/sessions", { id: "s" });
    const left = new AbortController();
    const asking = stage.ask(path, {
      method: "POST",
      body: JSON.stringify(path === CHAT ? hi : { message: "hi" }),
      headers: { "x-agent-session-id": "s" },
      signal: left.signal,
    });
    await hold.reached;
    left.abort();
    await expect(asking).rejects.toThrow("aborted");
    await untilTrue(() =>
      stage.log.some((record) => record.event === "http.request" && record["path"] === path),
    );
    const [line] = stage.log.filter((record) => record.event === "http.request" && record["path"] === path);
    expect(line).toMatchObject({ level: "warn", status: 499, code: "client_left" });
    hold.open();
    await untilTrue(() => stage.host.running === 0);
    expect((await (await stage.host.session("s")).refresh()).lastTurn?.outcome).toBe("completed");
  }
});
