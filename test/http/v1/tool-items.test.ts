import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, type ModelMessage, streamText, tool } from "ai";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ModelRequest } from "../../../src/core/index.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { KEY, type Stage, type StageOptions, stageWith, wireEvents } from "../stage.ts";

const RESPONSES = "/v1/responses";
const LOOK = { type: "function", name: "look", parameters: {} } as const;

const looking = () =>
  scriptedModel([say("Looking. "), callTool("look", { a: 1 }, "c1")], [say("Done.")], [say("Again.")]);
const options = (settings: StageOptions["settings"] = {}): StageOptions => ({
  settings,
  host: {
    toolsets: toolsOf(
      testTool("look"),
      testTool("break", { run: () => Promise.reject(new Error("It broke.")) }),
    ),
  },
});

interface Body {
  readonly id: string;
  readonly output_text?: string;
  readonly output: readonly { readonly type: string; readonly call_id: string; readonly id: string }[];
}

const types = ({ output }: Pick<Body, "output">): readonly string[] => output.map(({ type }) => type);
const create = async (
  stage: Stage,
  body: object,
  headers?: Readonly<Record<string, string>>,
): Promise<Body> => (await (await stage.post(RESPONSES, { input: "hi", ...body }, headers)).json()) as Body;
/** The conversation that a model was asked with, one line a message. */
const told = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).map((message) => {
    switch (message.role) {
      case "user":
        return `user: ${message.parts.map((part) => (part.type === "text" ? part.text : part.type)).join("")}`;
      case "assistant":
        return `assistant: ${message.text}${message.calls.map(({ name }) => `<${name}>`).join("")}`;
      case "tool":
        return `tool: ${message.results.flatMap(({ content }) => content.map((part) => (part.type === "text" ? part.text : ""))).join("")}`;
    }
  });

describe("the calls of a response, as clients are shown them", () => {
  const shown = ["function_call", "function_call_output", "message"];
  const mcp = ["mcp_call", "message"];

  test.each([
    ["a bare client", {}, {}, shown],
    ["a request with function tools", { tools: [LOOK] }, {}, mcp],
    ["a request with a custom tool", { tools: [{ type: "custom", name: "patch" }] }, {}, mcp],
    ["a request with a hosted tool", { tools: [{ type: "web_search" }] }, {}, shown],
    ["@openai/agents", {}, { "user-agent": "Agents/JavaScript 0.20.0" }, mcp],
    ["openai-agents", {}, { "user-agent": "Agents/Python 0.9.1" }, mcp],
    ["ai", {}, { "user-agent": "ai/7.0.173 ai-sdk-openai/4.0.118 runtime/node.js/v24" }, mcp],
    ["ai, an older one", {}, { "user-agent": "ai-sdk/openai/2.0.1 ai-sdk/provider-utils/3.0.1" }, mcp],
    ["LangChain", {}, { "user-agent": "langchainjs-openai/1.0.0 ((node/v24; linux; x64))" }, mcp],
    ["codex", {}, { "user-agent": "codex_exec/0.63.0 (Linux; x86_64) xterm", originator: "codex_exec" }, mcp],
    ["pi", {}, { "user-agent": "pi (linux 6.1; x64)", originator: "pi" }, mcp],
    ["openai", {}, { "user-agent": "OpenAI/JS 7.55.0" }, shown],
    ["a program named otherwise", {}, { "user-agent": "picture-air/1 (my pie)" }, shown],
    ["one that says so", {}, { "x-agent-tool-items": "mcp_call" }, mcp],
    [
      "one that says the other",
      { tools: [LOOK] },
      { "x-agent-tool-items": "function_call", "user-agent": "ai/7.0.1" },
      shown,
    ],
  ])("suit %s", async (...[, body, headers, expected]) => {
    await using stage = await stageWith(looking(), options());
    const answer = await create(stage, body, { ...headers });
    expect(types(answer)).toEqual(expected);
    expect(types((await (await stage.ask(`${RESPONSES}/${answer.id}`)).json()) as Body)).toEqual(expected);
  });

  test("are as the owner says, and a word that is no form is refused", async () => {
    await using stage = await stageWith(looking(), options({ toolItems: "mcp_call" }));
    expect(types(await create(stage, {}))).toEqual(mcp);
    const refused = await stage.post(RESPONSES, { input: "hi" }, { "x-agent-tool-items": "tools" });
    expect(await refused.json()).toMatchObject({ error: { param: "X-Agent-Tool-Items" } });
    expect(refused.status).toBe(400);
  });

  test("stream as events of an MCP call, whose items are those of the whole response", async () => {
    const model = scriptedModel(
      [callTool("look", { a: 1 }, "c1"), callTool("break", {}, "c2")],
      [say("Done.")],
    );
    await using stage = await stageWith(model, options({ toolItems: "mcp_call" }));
    const answer = await stage.post(RESPONSES, { input: "hi", stream: true });
    const frames = wireEvents(await answer.text()).map(({ data }) => JSON.parse(data) as Frame);
    expect(frames.map(({ sequence_number: n }) => n)).toEqual(frames.map((_frame, index) => index));
    const ofCall = (at: number) => frames.filter(({ output_index: index }) => index === at);
    expect(ofCall(0).map(({ type }) => type)).toEqual([
      "response.output_item.added",
      "response.mcp_call.in_progress",
      "response.mcp_call_arguments.delta",
      "response.mcp_call_arguments.done",
      "response.mcp_call.completed",
      "response.output_item.done",
    ]);
    expect(ofCall(1).at(-2)?.type).toBe("response.mcp_call.failed");
    const whole = frames.at(-1)?.response;
    expect(whole?.output.slice(0, 2)).toEqual([ofCall(0).at(-1)?.item, ofCall(1).at(-1)?.item]);
    expect(whole?.output).toMatchObject([
      {
        type: "mcp_call",
        status: "completed",
        server_label: "agent",
        name: "look",
        arguments: '{"a":1}',
        output: "look ran",
      },
      {
        type: "mcp_call",
        status: "failed",
        name: "break",
        error: { type: "mcp_tool_execution_error" },
      },
      { type: "message" },
    ]);
  });
});

interface Frame {
  readonly type: string;
  readonly sequence_number: number;
  readonly output_index?: number;
  readonly item?: unknown;
  readonly response?: Body;
}

describe("a result for a call that had run on the server", () => {
  const asksTwice = { "x-agent-tool-items": "function_call" };

  test("is no prompt: the answer is given once more, and no turn is taken", async () => {
    const model = looking();
    await using stage = await stageWith(model, options());
    const first = await create(stage, {});
    const [call] = first.output;
    const output = { type: "function_call_output", call_id: call?.call_id, output: "unsupported call: look" };
    const next = await stage.post(RESPONSES, { previous_response_id: first.id, input: [output] });
    expect(next.headers.get("x-agent-warning")).toContain("1 function_call_output dropped");
    expect(await next.json()).toMatchObject({
      status: "completed",
      previous_response_id: first.id,
      output: [{ type: "message", content: [{ text: "Looking. \n\nDone." }] }],
      usage: { total_tokens: 0 },
    });
    expect(model.requests.length).toBe(2);
  });

  test("is recognised without a stored response, streamed too", async () => {
    const model = looking();
    await using stage = await stageWith(model, options());
    const first = await create(stage, { store: false });
    expect(types(first)).toEqual(["function_call", "function_call_output", "message"]);
    const [call] = first.output;
    const output = { type: "function_call_output", call_id: call?.call_id, output: "unsupported call: look" };
    const input = [{ role: "user", content: "hi" }, call, output];
    const next = await stage.post(RESPONSES, { store: false, stream: true, input });
    expect(next.headers.get("x-agent-warning")).toContain("dropped");
    const text = await next.text();
    expect(text).not.toContain("function_call");
    expect(text).toContain("Done.");
    expect(text).not.toContain("unsupported call");
    expect(model.requests.length).toBe(2);
  });

  test("gives way to the stored one in the history of a later prompt", async () => {
    const model = looking();
    await using stage = await stageWith(model, options());
    const first = await create(stage, {}, asksTwice);
    const [call, , message] = first.output;
    const output = { type: "function_call_output", call_id: call?.call_id, output: "unsupported call: look" };
    const input = [{ role: "user", content: "hi" }, call, output, message, { role: "user", content: "and?" }];
    const next = await stage.post(RESPONSES, { input });
    expect(next.headers.get("x-agent-warning")).toContain("dropped");
    expect(told(model.requests.at(-1))).toEqual([
      "user: hi",
      "assistant: <look>",
      "tool: look ran",
      "assistant: Looking. \n\nDone.",
      "user: and?",
    ]);
    // What the server itself had told is no news.
    const echoed = [{ role: "user", content: "hi" }, ...first.output, { role: "user", content: "so?" }];
    expect((await stage.post(RESPONSES, { input: echoed })).headers.get("x-agent-warning")).toBeNull();
    expect(told(model.requests.at(-1)).slice(1, 4)).toEqual([
      "assistant: <look>",
      "tool: look ran",
      "assistant: Looking. \n\nDone.",
    ]);
  });

  test("is refused with the way out when its response is gone", async () => {
    await using stage = await stageWith(looking(), options());
    const first = await create(stage, {});
    await stage.ask(`${RESPONSES}/${first.id}`, { method: "DELETE" });
    const input = [{ type: "function_call_output", call_id: first.output[0]?.call_id, output: "no" }];
    const refused = await stage.post(RESPONSES, { input });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("Send a message of the user");
  });

  test("is said to be a result when it is of another server's call", async () => {
    const model = scriptedModel();
    await using stage = await stageWith(model);
    const call = { type: "function_call", call_id: "x1", name: "weather", arguments: "{}" };
    const output = { type: "function_call_output", call_id: "x1", output: "Sunny" };
    await stage.post(RESPONSES, { input: [{ role: "user", content: "hi" }, call, output] });
    expect(model.seen.at(-1)?.at(-1)).toBe("[Result of call x1]\nSunny");
  });
});

describe("stock clients with a model that calls tools", () => {
  const provider = (stage: Stage) => createOpenAI({ apiKey: KEY, baseURL: `${stage.url}/v1` })("agent");
  /** A tool with the name of the agent's own; it must never run. */
  const ownLook = (ran: string[]) =>
    tool({
      description: "Looks",
      inputSchema: z.object({ b: z.string() }),
      execute: () => {
        ran.push("look");
        return "ran here";
      },
    });

  test.each(["without tools", "with an equally named tool"])("ai, %s, whole", async (how) => {
    const ran: string[] = [];
    const model = looking();
    await using stage = await stageWith(model, options());
    const tools = how === "without tools" ? undefined : { look: ownLook(ran) };
    const result = await generateText({
      model: provider(stage),
      prompt: "hi",
      stopWhen: isStepCount(5),
      ...(tools === undefined ? {} : { tools }),
    });
    expect(result.text).toBe("Looking. \n\nDone.");
    expect(result.steps.length).toBe(1);
    expect(result.finishReason).toBe("stop");
    expect(ran).toEqual([]);
    expect(model.requests.length).toBe(2);
    expect(result.toolResults).toMatchObject([
      { toolName: "mcp.look", providerExecuted: true, output: { output: "look ran" } },
    ]);
  });

  test.each(["without tools", "with an equally named tool"])("ai, %s, streamed", async (how) => {
    const ran: string[] = [];
    const model = looking();
    await using stage = await stageWith(model, options());
    const tools = how === "without tools" ? undefined : { look: ownLook(ran) };
    const result = streamText({
      model: provider(stage),
      prompt: "hi",
      stopWhen: isStepCount(5),
      ...(tools === undefined ? {} : { tools }),
    });
    expect((await Array.fromAsync(result.textStream)).join("")).toBe("Looking. \n\nDone.");
    expect((await result.steps).length).toBe(1);
    expect(ran).toEqual([]);
    expect(model.requests.length).toBe(2);
  });

  test("ai goes on with a conversation, whose items it refers to", async () => {
    const model = looking();
    await using stage = await stageWith(model, options());
    const messages: ModelMessage[] = [{ role: "user", content: "hi" }];
    const { response } = await generateText({ model: provider(stage), messages });
    messages.push(...response.messages, { role: "user", content: "and?" });
    expect((await generateText({ model: provider(stage), messages })).text).toBe("Again.");
    expect(told(model.requests.at(-1))).toEqual([
      "user: hi",
      "assistant: <look>",
      "tool: look ran",
      "assistant: Looking. \n\nDone.",
      "user: and?",
    ]);
  });

  test("a call that a client sends back without its result has it again", async () => {
    const model = looking();
    await using stage = await stageWith(model, options({ toolItems: "mcp_call" }));
    const { output } = await create(stage, { store: false });
    // As @openai/agents does.
    const call = { ...output[0], output: undefined, error: undefined };
    const input = [{ role: "user", content: "hi" }, call, output[1], { role: "user", content: "and?" }];
    await create(stage, { input });
    expect(told(model.requests.at(-1)).slice(1, 3)).toEqual(["assistant: <look>", "tool: look ran"]);
  });

  test("a reference to nothing is refused as it is elsewhere", async () => {
    await using stage = await stageWith(scriptedModel());
    const input = [
      { type: "item_reference", id: "msg_gone" },
      { role: "user", content: "hi" },
    ];
    await expect(
      stage.openai.responses.create({ input: input as OpenAI.Responses.ResponseInput }),
    ).rejects.toMatchObject({ status: 404, param: "input" });
  });

  test("openai with function tools, in a loop that runs what it is shown", async () => {
    const model = looking();
    await using stage = await stageWith(model, options());
    const client = stage.openai;
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "hi" }];
    const tools = [{ ...LOOK, strict: false }];
    const response = await client.responses.create({ input, tools });
    expect(response.output.filter(({ type }) => type === "function_call")).toEqual([]);
    expect(response.output_text).toBe("Looking. \n\nDone.");
    // The documented way to go on: the output is sent back as it came.
    input.push(...(response.output as OpenAI.Responses.ResponseInput), { role: "user", content: "and?" });
    expect((await client.responses.create({ input, tools })).output_text).toBe("Again.");
    expect(told(model.requests.at(-1))).toEqual([
      "user: hi",
      "assistant: <look>",
      "tool: look ran",
      "assistant: Looking. \n\nDone.",
      "user: and?",
    ]);
  });

  test("openai streams them through its helper", async () => {
    await using stage = await stageWith(looking(), options());
    const stream = stage.openai.responses.stream({ input: "hi", tools: [{ ...LOOK, strict: false }] });
    const events: string[] = [];
    for await (const event of stream) events.push(event.type);
    expect(events).toContain("response.mcp_call.completed");
    const final = await stream.finalResponse();
    expect(final.output.map(({ type }) => type)).toEqual(["message", "mcp_call"]);
  });
});
