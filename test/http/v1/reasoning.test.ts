import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import { describe, expect, test } from "vitest";
import { callTool, say, scriptedModel, think } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { KEY, stageWith, type StageOptions, wireEvents } from "../stage.ts";

const thinking = () =>
  scriptedModel(
    [think("Hm, "), think("look."), say("Looking. "), callTool("look", {}, "c1")],
    [think("So."), say("Done.")],
  );
const tools: StageOptions = { host: { toolsets: toolsOf(testTool("look")) } };
const open: StageOptions = { ...tools, settings: { reasoning: true } };
const messages = [{ role: "user" as const, content: "hi" }];

describe("what the model thinks", () => {
  test("is told in a chat only to those who ask, or when the server is set so", async () => {
    for (const [options, asked, told] of [
      [tools, {}, false],
      [tools, { include_reasoning: true }, true],
      [open, {}, true],
      [open, { include_reasoning: false }, false],
    ] as const) {
      await using stage = await stageWith(thinking(), options);
      const whole = await stage.post("/v1/chat/completions", { messages, ...asked });
      const { choices } = (await whole.json()) as { choices: [{ message: { reasoning_content?: string } }] };
      expect(choices[0].message.reasoning_content).toBe(told ? "Hm, look.So." : undefined);
    }
  });

  test("streams in a chat before the text that it led to", async () => {
    await using stage = await stageWith(thinking(), open);
    const provider = createOpenAICompatible({ name: "agent", apiKey: KEY, baseURL: `${stage.url}/v1` });
    const streamed = streamText({ model: provider("agent"), prompt: "hi" });
    const parts: string[] = [];
    for await (const part of streamed.fullStream)
      if (part.type === "reasoning-delta" || part.type === "text-delta")
        parts.push(`${part.type} ${part.text}`);
    expect(parts.join("|")).toMatch(
      /^reasoning-delta Hm, .*look\.\|text-delta Looking\. .*reasoning-delta So\.\|/,
    );
    expect(await streamed.text).toBe("Looking. \n\nDone.");
  });

  test("comes as summaries to those who ask a response for them, streamed, whole and stored", async () => {
    await using stage = await stageWith(thinking(), tools);
    const stream = stage.openai.responses.stream({
      model: "agent",
      input: "hi",
      reasoning: { summary: "auto" },
    });
    const types = new Set<string>();
    for await (const event of stream) types.add(event.type);
    expect([...types].filter((type) => type.includes("reasoning"))).toEqual([
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
    ]);
    const final = await stream.finalResponse();
    expect(final.output).toMatchObject([
      { type: "reasoning", status: "completed", summary: [{ type: "summary_text", text: "Hm, look." }] },
      { type: "message", content: [{ text: "Looking. \n\nDone." }] },
      { type: "function_call" },
      { type: "function_call_output" },
      { type: "reasoning", summary: [{ text: "So." }] },
    ]);
    expect((await stage.openai.responses.retrieve(final.id)).output).toEqual(
      final.output.map((item) => expect.objectContaining({ id: item.id, type: item.type })),
    );
  });

  test("reaches the Vercel AI SDK from a response", async () => {
    await using stage = await stageWith(thinking(), tools);
    const provider = createOpenAI({ apiKey: KEY, baseURL: `${stage.url}/v1` });
    const streamed = streamText({
      model: provider.responses("agent"),
      prompt: "hi",
      providerOptions: { openai: { reasoningSummary: "auto", forceReasoning: true } },
    });
    expect(await streamed.text).toBe("Looking. \n\nDone.");
    expect((await streamed.reasoning).map((part) => ("text" in part ? part.text : part.type))).toEqual([
      "Hm, look.",
      "So.",
    ]);
  });

  test("comes as the text of reasoning items where the server is set so", async () => {
    await using stage = await stageWith(thinking(), open);
    const answer = await stage.post("/v1/responses", { input: "hi", stream: true });
    const data = wireEvents(await answer.text()).map(
      (event) => JSON.parse(event.data) as Record<string, unknown>,
    );
    expect(data.map(({ sequence_number: n }) => n)).toEqual(data.map((_event, index) => index));
    const said = data
      .filter(({ type }) => type === "response.reasoning_text.delta")
      .map(({ delta }) => delta);
    expect(said.join("")).toBe("Hm, look.So.");
    expect(data.at(-1)).toMatchObject({
      response: {
        output: [
          { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm, look." }] },
          {},
          {},
          {},
          {},
        ],
      },
    });
  });

  test("is in no response, run or session stream of a server that is not set so", async () => {
    await using stage = await stageWith(
      scriptedModel([think("secret"), say("a")], [think("secret"), say("b")]),
    );
    const response = await stage.post("/v1/responses", { input: "hi", stream: true });
    expect(await response.text()).not.toContain("secret");
    const { session } = (await (await stage.post("/api/sessions", {})).json()) as { session: { id: string } };
    const chat = await stage.post(`/api/sessions/${session.id}/chat/stream`, { message: "hi" });
    expect(await chat.text()).not.toContain("reasoning.delta");
  });

  test("streams from runs and sessions where the server is set so", async () => {
    await using stage = await stageWith(thinking(), open);
    const begun = await stage.post("/v1/runs", { input: "hi" });
    const { run_id: run } = (await begun.json()) as { run_id: string };
    const events = wireEvents(await (await stage.ask(`/v1/runs/${run}/events`)).text());
    const deltas = events
      .filter(({ event }) => event === "reasoning.delta")
      .map(({ data }) => JSON.parse(data) as { delta: string });
    expect(deltas.map(({ delta }) => delta).join("")).toBe("Hm, look.So.");
    const capabilities = await (await stage.ask("/v1/capabilities")).json();
    expect(capabilities).toMatchObject({ features: { reasoning_streaming: true } });
  });
});
