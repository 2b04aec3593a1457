import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
import { describe, expect, test } from "vitest";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { KEY, stageWith } from "../stage.ts";

const tools = { host: { toolsets: toolsOf(testTool("look")) } };
const none = { "x-agent-tools": "none" };
const messages = [{ role: "user", content: "hi" }];

describe("a turn without tools", () => {
  test.each([
    ["/v1/chat/completions", { messages }, none],
    ["/v1/chat/completions", { messages, model: "agent:chat" }, {}],
    ["/v1/responses", { input: "hi" }, none],
    ["/v1/responses", { input: "hi", model: "other:chat" }, {}],
    ["/v1/runs", { input: "hi" }, none],
    ["/v1/runs", { input: "hi", model: "agent:chat" }, {}],
    ["/v1/responses", { input: "hi" }, { "x-agent-model": "agent:chat" }],
  ])("is what %s takes with %j and %j", async (path, body, headers) => {
    const model = scriptedModel([callTool("look", {}, "c1")], [say("No tools.")]);
    await using stage = await stageWith(model, tools);
    const answer = await stage.post(path, body, { ...headers });
    expect(answer.ok).toBe(true);
    const text = await answer.text();
    const runId = /run_[0-9a-f]+/.exec(text)?.[0];
    if (runId !== undefined) await (await stage.ask(`/v1/runs/${runId}/events`)).text();
    expect(model.requests.map(({ tools: given }) => given)).toEqual([[], []]);
    // A call that the model made up is refused, and nothing runs.
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("look ran");
  });

  test("is one turn of a session that has tools before and after", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model, tools);
    const create = await stage.post("/api/sessions", { id: "s1" });
    expect(create.status).toBe(201);
    for (const headers of [{}, none, {}])
      expect((await stage.post("/api/sessions/s1/chat", { message: "hi" }, headers)).status).toBe(200);
    expect(model.requests.map((request) => request.tools.length)).toEqual([1, 0, 1]);
  });

  test("is named in the answer as it was asked for, and listed like the agent", async () => {
    await using stage = await stageWith(scriptedModel(), tools);
    const provider = createOpenAICompatible({ name: "agent", apiKey: KEY, baseURL: `${stage.url}/v1` });
    const { response } = await generateText({ model: provider("agent:chat"), prompt: "A title, please" });
    expect(response.modelId).toBe("agent:chat");
    expect((await stage.openai.models.retrieve("agent:chat")).id).toBe("agent:chat");
  });

  test("a model that is really called so keeps its name and its tools", async () => {
    const model = scriptedModel();
    const named = { ...model, resolve: () => ({ ...model.resolve({}), name: "llama2:chat" }) };
    await using stage = await stageWith(named, tools);
    await stage.post("/v1/chat/completions", { messages, model: "llama2:chat" });
    expect(model.requests[0]?.tools.length).toBe(1);
  });

  test("another word in the header is refused, and makes another request of one key", async () => {
    await using stage = await stageWith(scriptedModel(), tools);
    const refused = await stage.post("/v1/responses", { input: "hi" }, { "x-agent-tools": "some" });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("none or auto")]);
    const key = { "idempotency-key": "k1" };
    expect((await stage.post("/v1/responses", { input: "hi" }, key)).status).toBe(200);
    expect((await stage.post("/v1/responses", { input: "hi" }, { ...key, ...none })).status).toBe(409);
  });
});
