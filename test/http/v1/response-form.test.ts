import { describe, expect, test } from "vitest";
import { z } from "zod";
import { callTool, fail, say, scriptedModel, think, used } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { stageWith, wireEvents } from "../stage.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";

const RESPONSES = "/v1/responses";
const count = z.int().min(0);
const status = z.enum(["in_progress", "completed", "incomplete"]);

const OutputText = z.strictObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()),
});
const Thought = z.strictObject({ type: z.literal("summary_text"), text: z.string() });

const Item = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("message"),
    id: z.string().startsWith("msg_"),
    status,
    role: z.literal("assistant"),
    content: z.array(OutputText),
  }),
  z.strictObject({
    type: z.literal("function_call"),
    id: z.string().startsWith("fc_"),
    status,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.strictObject({
    type: z.literal("function_call_output"),
    id: z.string().startsWith("fco_"),
    status,
    call_id: z.string(),
    output: z.string(),
  }),
  z.strictObject({
    type: z.literal("mcp_call"),
    id: z.string().startsWith("mcp_"),
    status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
    server_label: z.literal("agent"),
    name: z.string(),
    arguments: z.string(),

    output: z.string().optional(),
    error: z
      .strictObject({ type: z.literal("mcp_tool_execution_error"), content: z.array(z.unknown()) })
      .optional(),
  }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: z.string().startsWith("rs_"),
    status,
    summary: z.array(Thought),
  }),
]);

const Usage = z.strictObject({
  input_tokens: count,
  input_tokens_details: z.strictObject({ cached_tokens: count }),
  output_tokens: count,
  output_tokens_details: z.strictObject({ reasoning_tokens: count }),
  total_tokens: count,
});

/** Every key that the public descriptions of the API require, and no other: readers made of them refuse less and more. */
const Resource = z.strictObject({
  id: z.string().startsWith("resp_"),
  object: z.literal("response"),
  created_at: count,
  completed_at: count.nullable(),
  status: z.enum(["queued", "in_progress", "completed", "failed", "cancelled", "incomplete"]),
  background: z.boolean(),
  error: z
    .strictObject({ code: z.string(), message: z.string(), type: z.literal("server_error") })
    .nullable(),
  incomplete_details: z.strictObject({ reason: z.string() }).nullable(),
  instructions: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  model: z.string(),
  output: z.array(Item),
  previous_response_id: z.string().nullable(),
  store: z.boolean(),
  usage: Usage.nullable(),
  conversation: z.strictObject({ id: z.string() }).optional(),
  frequency_penalty: z.number(),
  presence_penalty: z.number(),
  temperature: z.number(),
  top_p: z.number(),
  top_logprobs: count,
  max_output_tokens: count.nullable(),
  max_tool_calls: count.nullable(),
  parallel_tool_calls: z.boolean(),
  prompt_cache_key: z.string().nullable(),
  reasoning: z.strictObject({ effort: z.string().nullable(), summary: z.string().nullable() }),
  safety_identifier: z.string().nullable(),
  service_tier: z.string(),
  text: z.strictObject({ format: z.strictObject({ type: z.literal("text") }) }),
  tool_choice: z.literal("auto"),
  tools: z.array(z.unknown()),
  truncation: z.enum(["auto", "disabled"]),
  user: z.string().nullable(),
});

const frame = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), sequence_number: count, ...shape });
const whole = { response: Resource };
const item = { output_index: count, item: Item };
const text = { item_id: z.string(), output_index: count, content_index: count };
const call = { item_id: z.string(), output_index: count };
const thought = { item_id: z.string(), output_index: count, summary_index: count };
const logprobs = z.array(z.unknown());

const Frame = z.discriminatedUnion("type", [
  frame("response.created", whole),
  frame("response.in_progress", whole),
  frame("response.completed", whole),
  frame("response.failed", whole),
  frame("response.output_item.added", item),
  frame("response.output_item.done", item),
  frame("response.content_part.added", { ...text, part: OutputText }),
  frame("response.content_part.done", { ...text, part: OutputText }),
  frame("response.output_text.delta", { ...text, delta: z.string(), logprobs }),
  frame("response.output_text.done", { ...text, text: z.string(), logprobs }),
  frame("response.mcp_call.in_progress", call),
  frame("response.mcp_call.completed", call),
  frame("response.mcp_call.failed", call),
  frame("response.mcp_call_arguments.delta", { ...call, delta: z.string() }),
  frame("response.mcp_call_arguments.done", { ...call, arguments: z.string() }),
  frame("response.reasoning_summary_part.added", { ...thought, part: Thought }),
  frame("response.reasoning_summary_part.done", { ...thought, part: Thought }),
  frame("response.reasoning_summary_text.delta", { ...thought, delta: z.string() }),
  frame("response.reasoning_summary_text.done", { ...thought, text: z.string() }),
]);

const thinking = () =>
  scriptedModel(
    [think("Hm."), say("Looking. "), callTool("look", { a: 1 }, "c1")],
    [say("Done."), used(3, 4)],
  );

describe("the form of a response", () => {
  test.each(["function_call", "mcp_call"] as const)(
    "has every key and no other, with %s items",
    async (toolItems) => {
      const model = thinking();
      await using stage = await stageWith(model, {
        settings: { toolItems },
        host: { toolsets: toolsOf(testTool("look")) },
      });
      const body = { input: "hi", reasoning: { summary: "auto" }, metadata: { a: "b" } };
      const answer: unknown = await (await stage.post(RESPONSES, body)).json();
      expect(Resource.parse(answer)).toEqual(answer);
      model.script([think("Hm."), say("Looking. "), callTool("look", {}, "c2")], [say("Done.")]);
      const frames = wireEvents(await (await stage.post(RESPONSES, { ...body, stream: true })).text());
      expect(frames.length).toBeGreaterThan(15);
      for (const { event, data } of frames) {
        const read = Frame.parse(JSON.parse(data));
        expect(read.type).toBe(event);
      }
    },
  );

  test("is the same for one that failed", async () => {
    const broken = (): ReturnType<typeof fail> => fail(new HostError("provider_auth", "No key."));
    const model = scriptedModel([broken()], [broken()]);
    await using stage = await stageWith(model);
    const answer: unknown = await (await stage.post(RESPONSES, { input: "hi" })).json();
    expect(Resource.parse(answer)).toMatchObject({ status: "failed", completed_at: null });
    const frames = wireEvents(await (await stage.post(RESPONSES, { input: "hi", stream: true })).text());
    expect(frames.map(({ data }) => Frame.parse(JSON.parse(data)).type).at(-1)).toBe("response.failed");
  });

  test("repeats what it was asked for where that is heeded or kept", async () => {
    await using stage = await stageWith(scriptedModel([say("Hello.")]));
    const created = await stage.openai.responses.create({
      input: "hi",
      truncation: "auto",
      reasoning: { effort: "low" },
      safety_identifier: "someone",
      prompt_cache_key: "mine",
      temperature: 0.2,
      max_output_tokens: 5,
    });
    const said = {
      truncation: "auto",
      reasoning: { effort: "low", summary: null },
      safety_identifier: "someone",
      prompt_cache_key: "mine",
    };
    // What nobody heeded is not claimed.
    expect(created).toMatchObject({ ...said, temperature: 1, max_output_tokens: null });
    expect(await stage.openai.responses.retrieve(created.id)).toMatchObject(said);
  });
});
