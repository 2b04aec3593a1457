import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
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
import { KEY, openStream, type Stage, stageWith, wireEvents } from "../stage.ts";

const RESPONSES = "/v1/responses";
const looking = () =>
  scriptedModel([say("Looking. "), callTool("look", { a: 1 }, "c1")], [say("Done."), used(3, 4)]);
const tools = { host: { toolsets: toolsOf(testTool("look")) } };
/** It tells the response. */
const CALL_ID: unknown = expect.stringMatching(/^call_[0-9a-f]{28}_[0-9a-f]{16}$/);
const sessionOf = (response: Response): string => response.headers.get("x-agent-session-id") ?? "";

describe("a response with the stock client", () => {
  test("is created, retrieved the same and deleted", async () => {
    await using stage = await stageWith(looking(), tools);
    const created = await stage.openai.responses.create({
      model: "agent",
      input: "hi",
      instructions: "Be brief.",
      metadata: { a: "b" },
    });
    expect(created).toMatchObject({
      object: "response",
      status: "completed",
      model: "agent",
      output_text: "Looking. \n\nDone.",
      usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
      error: null,
      metadata: { a: "b" },
      instructions: "Be brief.",
      output: [
        { type: "function_call", name: "look", arguments: '{"a":1}', call_id: CALL_ID, status: "completed" },
        { type: "function_call_output", call_id: CALL_ID, output: "look ran" },
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", annotations: [] }],
        },
      ],
    });
    expect(created.id).toMatch(/^resp_[0-9a-f]{28}$/);
    expect(await stage.openai.responses.retrieve(created.id)).toEqual(created);
    const deleted = await stage.ask(`${RESPONSES}/${created.id}`, { method: "DELETE" });
    expect(await deleted.json()).toEqual({ id: created.id, object: "response", deleted: true });
    await expect(stage.openai.responses.retrieve(created.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(stage.openai.responses.delete(created.id)).rejects.toMatchObject({ status: 404 });
  });

  test("streams through the helper, text before and after tools", async () => {
    await using stage = await stageWith(looking(), tools);
    const stream = stage.openai.responses.stream({ model: "agent", input: "hi" });
    const types: string[] = [];
    let text = "";
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    const final = await stream.finalResponse();
    expect(text).toBe("Looking. \n\nDone.");
    expect(final.output_text).toBe(text);
    expect(final.output.map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call_output",
    ]);
    expect(types[0]).toBe("response.created");
    expect(types.at(-1)).toBe("response.completed");
    expect(await stage.openai.responses.retrieve(final.id)).toMatchObject({
      output_text: text,
      status: "completed",
    });
  });

  test("numbers its frames without a gap and closes what it opens", async () => {
    await using stage = await stageWith(scriptedModel([callTool("look", {}, "c1")], [say("Done.")]), tools);
    const answer = await stage.post(RESPONSES, { input: "hi", stream: true });
    const events = wireEvents(await answer.text());
    const data = events.map((event) => JSON.parse(event.data) as Record<string, unknown>);
    expect(data.map(({ sequence_number: n }) => n)).toEqual(data.map((_event, index) => index));
    expect(data.map(({ type }) => type)).toEqual(events.map(({ event }) => event));
    expect(events.map(({ event }) => event)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.output_item.added",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(data.filter(({ output_index: at }) => at !== undefined).map(({ output_index: at }) => at)).toEqual(
      [0, 0, 1, 1, 2, 2, 2, 2, 2, 2],
    );
  });

  test("takes messages, parts and images, and refuses what it cannot take", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    await stage.openai.responses.create({
      model: "agent",
      input: [
        { role: "developer", content: "Be kind." },
        { role: "user", content: [{ type: "input_text", text: "first" }] },
        { role: "assistant", content: "yes" },
        {
          role: "user",
          content: [
            { type: "input_text", text: "look" },
            { type: "input_image", image_url: "data:image/png;base64,AQID", detail: "auto" },
          ],
        },
      ],
    });
    expect(model.requests[0]?.messages).toMatchObject([
      { role: "user", parts: [{ text: "first" }] },
      { role: "assistant", text: "yes" },
      { role: "user", parts: [{ text: "look" }, { type: "image", mediaType: "image/png" }] },
    ]);
    expect(model.requests[0]?.system).toContain("Be kind.");
    const refused: readonly (readonly [object, string])[] = [
      [{}, "Missing 'input' field"],
      [{ input: 5 }, "'input' must be a string or array"],
      [{ input: "" }, "No user message found in input"],
      [{ input: [] }, "No user message found in input"],
      [{ input: "x", conversation: "a", previous_response_id: "b" }, "Cannot use both"],
      [{ input: "x", conversation_history: [{}] }, "'conversation_history[0]'"],
      [{ input: [{ role: "user", content: [{ type: "input_file" }] }] }, "Uploaded files"],
    ];
    for (const [body, about] of refused) {
      const answer = await stage.post(RESPONSES, body);
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as { error: { message: string } }).error.message).toContain(about);
    }
  });

  test("that failed says so, whole and streamed", async () => {
    const broken = new HostError("provider_bad_request", "The model said no.");
    await using stage = await stageWith(scriptedModel([fail(broken)], [say("Half"), fail(broken)]));
    const whole = await stage.openai.responses.create({ model: "agent", input: "hi" });
    expect(whole).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: "The model said no." },
    });
    const events = wireEvents(await (await stage.post(RESPONSES, { input: "hi", stream: true })).text());
    expect(events.at(-1)?.event).toBe("response.failed");
    expect(JSON.parse(events.at(-1)?.data ?? "")).toMatchObject({
      response: {
        status: "failed",
        error: { message: "The model said no." },
        output: [{ content: [{ text: "Half" }] }],
      },
    });
  });
});

describe("a conversation of responses", () => {
  const say2 = (): ReturnType<typeof scriptedModel> => scriptedModelWith({ otherwise: () => [say("ok")] });
  const respond = async (stage: Stage, body: object): Promise<{ id: string; session: string }> => {
    const answer = await stage.post(RESPONSES, body);
    expect(answer.status).toBe(200);
    return { id: ((await answer.json()) as { id: string }).id, session: sessionOf(answer) };
  };

  test("goes on by the id of a response, in one session, with its instructions", async () => {
    const model = say2();
    await using stage = await stageWith(model);
    const one = await respond(stage, { input: "one", instructions: "Be brief." });
    const two = await respond(stage, { input: "two", previous_response_id: one.id });
    expect(model.seen[1]).toEqual(["one", "two"]);
    expect(model.requests[1]?.system).toContain("Be brief.");
    expect(two.session).toBe(one.session);
    const unknown = await stage.post(RESPONSES, { input: "x", previous_response_id: "resp_0" });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: { code: "previous_response_not_found", param: "previous_response_id" },
    });
  });

  test("splits when it goes on twice from one response, and what came later is not in it", async () => {
    const model = say2();
    await using stage = await stageWith(model);
    const one = await respond(stage, { input: "one" });
    const two = await respond(stage, { input: "two", previous_response_id: one.id });
    const other = await respond(stage, { input: "other", previous_response_id: one.id });
    expect(model.seen[2]).toEqual(["one", "other"]);
    expect(other.session).not.toBe(two.session);
    await respond(stage, { input: "three", previous_response_id: two.id });
    expect(model.seen[3]).toEqual(["one", "two", "three"]);
    await respond(stage, { input: "more", previous_response_id: other.id });
    expect(model.seen[4]).toEqual(["one", "other", "more"]);
  });

  test("splits also when both go on at once", async () => {
    const model = say2();
    await using stage = await stageWith(model);
    const one = await respond(stage, { input: "one" });
    await Promise.all(
      ["a", "b", "c"].map((input) => respond(stage, { input, previous_response_id: one.id })),
    );
    expect(model.seen.slice(1).toSorted((a, b) => a.join().localeCompare(b.join()))).toEqual([
      ["one", "a"],
      ["one", "b"],
      ["one", "c"],
    ]);
  });

  test("goes on by its name, one after the other, also for calls at once", async () => {
    const model = say2();
    await using stage = await stageWith(model);
    await Promise.all(["a", "b", "c"].map((input) => respond(stage, { input, conversation: "daily" })));
    expect(model.seen.map(({ length }) => length)).toEqual([1, 2, 3]);
    const last = await respond(stage, { input: "d", conversation: { id: "daily" } });
    expect(model.seen[3]).toHaveLength(4);
    await stage.openai.responses.delete(last.id);
    await respond(stage, { input: "anew", conversation: "daily" });
    expect(model.seen[4]).toEqual(["anew"]);
  });

  test("takes a history of the client's own instead", async () => {
    const model = say2();
    await using stage = await stageWith(model);
    const one = await respond(stage, { input: "one" });
    const history = [
      { role: "user", content: "mine" },
      { role: "assistant", content: "yes" },
    ];
    await respond(stage, { input: "two", previous_response_id: one.id, conversation_history: history });
    expect(model.seen[1]).toEqual(["mine", "two"]);
  });

  test("is not changed by what is not to be stored", async () => {
    const model = say2();
    await using stage = await stageWith(model);
    const one = await respond(stage, { input: "one", conversation: "c" });
    const aside = await respond(stage, { input: "aside", store: "false", previous_response_id: one.id });
    expect(model.seen[1]).toEqual(["one", "aside"]);
    expect((await stage.ask(`${RESPONSES}/${aside.id}`)).status).toBe(404);
    const two = await respond(stage, { input: "two", conversation: "c" });
    expect([model.seen[2], two.session]).toEqual([["one", "two"], one.session]);
    expect((await stage.host.list({ limit: 9, offset: 0 })).map(({ id }) => id)).toEqual([one.session]);
  });

  test("can be gone on with as a run, and by its session key", async () => {
    const model = say2();
    await using stage = await stageWith(model);
    const one = await respond(stage, { input: "one" });
    const run = (await (
      await stage.post("/v1/runs", { input: "two", previous_response_id: one.id })
    ).json()) as { run_id: string };
    await (await stage.ask(`/v1/runs/${run.run_id}/events`)).text();
    expect(model.seen[1]).toEqual(["one", "two"]);
    expect((await stage.post("/v1/runs", { input: "x", previous_response_id: "resp_0" })).status).toBe(404);
    const key = { "x-agent-session-key": "anna" };
    for (const input of ["a", "b"]) await (await stage.post(RESPONSES, { input }, key)).text();
    expect(model.seen[3]).toEqual(["a", "b"]);
  });
});

describe("a streamed response", () => {
  test("can be read while it runs, and is incomplete after its reader has left for good", async () => {
    const clock = handClock();
    const hold = gate();
    await using stage = await stageWith(scriptedModel([say("Half"), wait(hold)]), { host: { clock } });
    const stream = await openStream(stage, RESPONSES, {
      method: "POST",
      body: { input: "hi", stream: true },
    });
    const text = await stream.until((so) => so.includes('"delta":"Half"'));
    const { response } = JSON.parse(wireEvents(text)[0]?.data ?? "") as { response: { id: string } };
    expect(await stage.openai.responses.retrieve(response.id)).toMatchObject({
      status: "in_progress",
      output_text: "Half",
    });
    stream.leave();
    await untilTrue(() => clock.pending().some(({ in: ms }) => ms === 30_000));
    clock.advance(30_000);
    await untilTrue(() => stage.host.running === 0);
    expect(await stage.openai.responses.retrieve(response.id)).toMatchObject({
      status: "incomplete",
      output_text: "Half",
    });
  });

  test("is one for ten posts with one key, whole and streamed", async () => {
    for (const stream of [false, true]) {
      const model = scriptedModelWith({ otherwise: () => [say("once")] });
      await using stage = await stageWith(model);
      const posts = Array.from({ length: 10 }, () =>
        stage.post(RESPONSES, { input: "hi", stream }, { "idempotency-key": "k" }),
      );
      const bodies = await Promise.all(posts.map(async (post) => (await post).text()));
      expect(new Set(bodies).size).toBe(1);
      expect(model.requests).toHaveLength(1);
    }
  });
});

describe("the Vercel AI SDK over responses, unmodified", () => {
  test("generates and streams text, and goes on from a response", async () => {
    const model = scriptedModel([say("Hello"), used(5, 2)], [say("Hel"), say("lo"), used(5, 2)]);
    await using stage = await stageWith(model);
    const provider = createOpenAI({ apiKey: KEY, baseURL: `${stage.url}/v1` });
    const whole = await generateText({ model: provider.responses("agent"), prompt: "hi" });
    expect([whole.text, whole.finishReason]).toEqual(["Hello", "stop"]);
    const previousResponseId = whole.response.id;
    const streamed = streamText({
      model: provider.responses("agent"),
      prompt: "again",
      providerOptions: { openai: { previousResponseId } },
    });
    expect((await Array.fromAsync(streamed.textStream)).join("")).toBe("Hello");
    expect(await streamed.usage).toMatchObject({ inputTokens: 5, outputTokens: 2 });
    expect(model.seen[1]).toEqual(["hi", "again"]);
  });

  test("gets the text of a turn in which tools ran on the server", async () => {
    await using stage = await stageWith(looking(), tools);
    const provider = createOpenAI({ apiKey: KEY, baseURL: `${stage.url}/v1` });
    const streamed = streamText({ model: provider.responses("agent"), prompt: "hi" });
    expect((await Array.fromAsync(streamed.textStream)).join("")).toBe("Looking. \n\nDone.");
  });
});
