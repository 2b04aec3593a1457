import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Anthropic } from "@anthropic-ai/sdk";
import { OpenAI } from "openai";
import { describe, expect, test } from "vitest";
import {
  callTool,
  field,
  gate,
  reply,
  say,
  startFixedServer,
  startModelServer,
  think,
  waitAt,
} from "./index.ts";

const client = (baseURL: string): OpenAI => new OpenAI({ apiKey: "k", baseURL, maxRetries: 0 });
const ask = {
  model: "m",
  messages: [{ role: "user", content: "hi" }],
} satisfies OpenAI.ChatCompletionCreateParams;

/** The text of a stream, and how it ended, as the official client reads it. */
async function read(openai: OpenAI): Promise<{ text: string; finish: unknown; calls: number }> {
  const seen = { text: "", finish: undefined as unknown, calls: 0 };
  for await (const { choices } of await openai.chat.completions.create({ ...ask, stream: true })) {
    seen.text += choices[0]?.delta.content ?? "";
    seen.calls += choices[0]?.delta.tool_calls?.filter(({ id }) => id !== undefined).length ?? 0;
    seen.finish = choices[0]?.finish_reason ?? seen.finish;
  }
  return seen;
}

describe("the scripted server speaks to the official client", () => {
  test("in streams", async () => {
    await using server = await startModelServer();
    server.script(
      reply([think("hm"), say("Hello, ", "world"), callTool("ls", { a: 1 }), callTool("rm", {})]),
    );
    expect(await read(client(server.baseUrl))).toEqual({
      text: "Hello, world",
      finish: "tool_calls",
      calls: 2,
    });
  });

  test("in one piece", async () => {
    await using server = await startModelServer();
    server.script(
      reply([say("Hello"), callTool("ls", { a: 1 }, { id: "c1" })], {
        usage: { input: 3, output: 4, cached: 1 },
      }),
    );
    const { choices, usage } = await client(server.baseUrl).chat.completions.create(ask);
    expect(choices[0]?.message).toMatchObject({
      content: "Hello",
      tool_calls: [{ id: "c1", function: { name: "ls", arguments: '{"a":1}' } }],
    });
    expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
  });

  test("with errors and lists of models", async () => {
    await using server = await startModelServer({ models: ["a", "b"] });
    server.script({ status: 429, body: JSON.stringify({ error: { message: "slow" } }) });
    await expect(client(server.baseUrl).chat.completions.create(ask)).rejects.toMatchObject({ status: 429 });
    const { data } = await client(server.baseUrl).models.list();
    expect(data.map(({ id }) => id)).toEqual(["a", "b"]);
  });
});

const SCRIPT = () =>
  reply([think("h", "m"), say("Hello, ", "world"), callTool("ls", { a: 1 }, { id: "c1" })], {
    usage: { input: 30, output: 4, cached: 10, reasoning: 2 },
  });

describe("the scripted server speaks responses to the official client", () => {
  test("in streams", async () => {
    await using server = await startModelServer();
    server.script(SCRIPT());
    const stream = client(server.baseUrl).responses.stream({ model: "m", input: "hi" });
    const response = await stream.finalResponse();
    expect(response.output_text).toBe("Hello, world");
    expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
    expect(response.usage).toMatchObject({ input_tokens: 30, output_tokens: 4, total_tokens: 34 });
  });

  test("in one piece", async () => {
    await using server = await startModelServer();
    server.script(SCRIPT());
    const response = await client(server.baseUrl).responses.create({
      model: "m",
      input: "hi",
      include: ["reasoning.encrypted_content"],
    });
    expect(response.output[0]).toMatchObject({ type: "reasoning", encrypted_content: "encrypted:aG0=" });
    expect(response.output[2]).toMatchObject({ call_id: "c1", name: "ls", arguments: '{"a":1}' });
  });
});

describe("the scripted server speaks messages to the official client", () => {
  const request = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "hi" }] };
  const blocks = [
    { type: "thinking", thinking: "hm", signature: "signed:aG0=" },
    { type: "text", text: "Hello, world" },
    { type: "tool_use", id: "c1", name: "ls", input: { a: 1 } },
  ];
  const anthropic = (baseURL: string): Anthropic => new Anthropic({ apiKey: "k", baseURL, maxRetries: 0 });

  test("in streams", async () => {
    await using server = await startModelServer();
    server.script(SCRIPT());
    const message = await anthropic(server.url).messages.stream(request).finalMessage();
    expect(message.content).toMatchObject(blocks);
    expect(message).toMatchObject({
      stop_reason: "tool_use",
      usage: { input_tokens: 20, cache_read_input_tokens: 10, output_tokens: 4 },
    });
  });

  test("in one piece", async () => {
    await using server = await startModelServer();
    server.script(SCRIPT());
    const message = await anthropic(server.url).messages.create(request);
    expect(message.content).toMatchObject(blocks);
  });
});

test("requests are recorded, and answered by a function when no script is left", async () => {
  await using server = await startModelServer({ answer: ({ n }) => reply(`answer ${n}`) });
  server.script(reply("scripted"));
  const texts = [await read(client(server.baseUrl)), await read(client(server.baseUrl))].map(
    ({ text }) => text,
  );
  expect(texts).toEqual(["scripted", "answer 2"]);
  const { headers, body, method, over } = await server.request(2);
  expect([method, headers.authorization, field(body, "model")]).toEqual(["POST", "Bearer k", "m"]);
  expect(await over).toBe("finished");
});

test("a gate holds a reply until it is opened", async () => {
  await using server = await startModelServer();
  const held = gate();
  server.script(reply([say("a"), waitAt(held), say("b")]));
  const reading = read(client(server.baseUrl));
  await held.reached;
  held.open();
  expect((await reading).text).toBe("ab");
});

test("stalled replies go on when they are released", async () => {
  await using server = await startModelServer();
  server.script(reply("late", { fault: { name: "stall", at: "mid-word" } }));
  const reading = read(client(server.baseUrl));
  await (
    await server.request(1)
  ).stalled;
  server.release();
  expect((await reading).text).toBe("late");
});

describe("the fixed server", () => {
  test.each([
    [{ tokens: 3 }, 3],
    [{ tokens: 1000, writes: 7 }, 1000],
    [{ tokens: 5, writes: 5, paceMs: 1 }, 5],
    [{ tokens: 2, writes: 9 }, 2],
  ])("%j gives every request the same %i tokens", async (options, tokens) => {
    await using server = await startFixedServer(options);
    const openai = client(server.baseUrl);
    for (let n = 0; n < 3; n += 1) {
      const { text, finish } = await read(openai);
      expect(text.trim().split(" ")).toHaveLength(tokens);
      expect(finish).toBe("stop");
    }
  });

  test("asks for a tool once per prompt when it is told to", async () => {
    await using server = await startFixedServer({ tool: { name: "ls", arguments: "{}" } });
    const openai = client(server.baseUrl);
    expect(await read(openai)).toMatchObject({ calls: 1, finish: "tool_calls" });
    const prompt = { role: "user", content: "hi" } as const;
    const called = {
      role: "assistant",
      tool_calls: [{ id: "a", type: "function", function: { name: "ls", arguments: "{}" } }],
    } as const;
    const result = { role: "tool", tool_call_id: "a", content: "x" } as const;
    const finishAfter = async (...messages: OpenAI.ChatCompletionMessageParam[]): Promise<unknown> => {
      const stream = await openai.chat.completions.create({ model: "m", messages, stream: true });
      let finish: unknown;
      for await (const { choices } of stream) finish = choices[0]?.finish_reason ?? finish;
      return finish;
    };
    const history = [prompt, { ...called, tool_calls: [...called.tool_calls] }, result];
    expect(await finishAfter(...history)).toBe("stop");
    expect(await finishAfter(...history, { role: "assistant", content: "ok" }, prompt)).toBe("tool_calls");
  });

  test("runs as a process of its own, which ends with its standard input", async () => {
    const child = spawn(process.execPath, ["test/kit/model-server/main.ts", "--tokens", "4"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { baseUrl } = JSON.parse(line) as { baseUrl: string };
    expect((await read(client(baseUrl))).text).toBe("t0 t1 t2 t3 ");
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
