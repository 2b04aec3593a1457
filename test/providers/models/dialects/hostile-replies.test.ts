import fc from "fast-check";
import { expect, test } from "vitest";
import { MessagesReply } from "../../../../src/providers/models/dialects/anthropic-messages/reply.ts";
import type { ReplyDecoder } from "../../../../src/providers/models/reply/reply-decoder.ts";
import { ChatReply } from "../../../../src/providers/models/dialects/openai-chat/reply.ts";
import { ResponsesReply } from "../../../../src/providers/models/dialects/openai-responses/reply.ts";
import { times } from "../../../kit/counts.ts";
import { context, decode } from "./decode.ts";

/** What endpoints put into the fields of their events, and what they never should. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, "", "x", 0, -1, 1e300, true, [], {}, [null], "__proto__", "\ud800"),
  fc.jsonValue({ maxDepth: 2 }),
);

/** An object with any of these keys, each with one of its own values or an odd one. */
const objectOf = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> =>
  fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, fc.oneof({ weight: 3, arbitrary: value }, odd)]),
    ),
    { requiredKeys: [] },
  );

const text = fc.constantFrom("a", "{", '"x":1', "}", "");
const index = fc.nat(2);

const item = objectOf({
  type: fc.constantFrom("message", "reasoning", "function_call", "web_search_call"),
  id: fc.constantFrom("i1", "i2"),
  call_id: fc.constantFrom("c1", "c2"),
  name: fc.constantFrom("ls", "rm"),
  arguments: text,
  content: fc.array(objectOf({ type: fc.constantFrom("output_text", "refusal"), text, refusal: text }), {
    maxLength: 2,
  }),
  summary: fc.array(objectOf({ text }), { maxLength: 2 }),
  encrypted_content: text,
});
const response = objectOf({
  status: fc.constantFrom("completed", "incomplete", "failed"),
  output: fc.array(item, { maxLength: 3 }),
  usage: objectOf({ input_tokens: fc.nat(), output_tokens: fc.nat() }),
  error: objectOf({ code: text, message: text }),
  incomplete_details: objectOf({ reason: text }),
});
const responsesEvent = objectOf({
  type: fc.constantFrom(
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.refusal.delta",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.completed",
    "response.failed",
    "error",
    "something.new",
  ),
  item,
  item_id: fc.constantFrom("i1", "i2"),
  output_index: index,
  summary_index: index,
  delta: text,
  arguments: text,
  response,
});

const block = objectOf({
  type: fc.constantFrom("text", "thinking", "redacted_thinking", "tool_use", "server_tool_use"),
  id: fc.constantFrom("t1", "t2"),
  name: fc.constantFrom("ls", "rm"),
  text,
  thinking: text,
  signature: text,
  data: text,
  input: fc.constant({ a: 1 }),
});
const usage = objectOf({
  input_tokens: fc.nat(),
  output_tokens: fc.nat(),
  cache_read_input_tokens: fc.nat(),
});
const messagesEvent = objectOf({
  type: fc.constantFrom(
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
  ),
  message: objectOf({ usage }),
  index,
  content_block: block,
  delta: objectOf({
    type: fc.constantFrom("text_delta", "thinking_delta", "signature_delta", "input_json_delta"),
    text,
    thinking: text,
    signature: text,
    partial_json: text,
    stop_reason: fc.constantFrom("end_turn", "tool_use", "max_tokens"),
  }),
  usage,
  error: objectOf({ type: text, message: text }),
});

const chatEvent = objectOf({
  choices: fc.array(
    objectOf({
      index,
      delta: objectOf({
        content: text,
        reasoning_content: text,
        refusal: text,
        tool_calls: fc.array(
          objectOf({
            index,
            id: fc.constantFrom("c1", "c2"),
            function: objectOf({ name: text, arguments: text }),
          }),
          { maxLength: 2 },
        ),
      }),
      finish_reason: fc.constantFrom("stop", "tool_calls", "length"),
    }),
    { maxLength: 2 },
  ),
  usage: objectOf({ prompt_tokens: fc.nat(), completion_tokens: fc.nat() }),
});

const wholeMessage = objectOf({ content: fc.array(block, { maxLength: 3 }), stop_reason: text, usage });

test.each<[string, () => ReplyDecoder, fc.Arbitrary<unknown>, fc.Arbitrary<unknown>]>([
  ["chat", () => new ChatReply(context()), chatEvent, objectOf({ choices: fc.array(odd) })],
  ["responses", () => new ResponsesReply(context()), responsesEvent, response],
  ["messages", () => new MessagesReply(context()), messagesEvent, wholeMessage],
])(
  "whatever comes in %s ends in one finish or one error, and no call is left open",
  (_name, ...[make, event, whole]) => {
    const streams = fc.array(event, { maxLength: 12 }).map((events) => ({
      events,
      reads: events.map((each) => `data: ${JSON.stringify(each)}\n\n`),
    }));
    const bodies = fc.oneof(
      streams,
      whole.map((value) => ({ events: [value], reads: [JSON.stringify(value)] })),
    );
    fc.assert(
      fc.property(bodies, ({ reads }) => {
        const { parts, error } = decode(make(), reads);
        const finishes = parts.filter(({ type }) => type === "finish");
        expect(finishes).toHaveLength(error === undefined ? 1 : 0);
        if (error !== undefined) return;
        expect(parts.at(-1)).toBe(finishes[0]);
        const begun = parts.flatMap((part) => (part.type === "call.start" ? [part.id] : []));
        const ended = parts.flatMap((part) => (part.type === "call.end" ? [part.id] : []));
        // A call that got no name begins at the end only.
        expect(ended.toSorted()).toEqual(begun.toSorted());
        expect(new Set(ended).size).toBe(ended.length);
      }),
      { numRuns: times(10_000) },
    );
  },
);
