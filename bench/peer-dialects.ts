/** Tokens that the answers say they had; nobody counts them. */
const TOKENS = 3;

/** A call of a tool that a prompt asks for. */
export interface AskedCall {
  /** Of this call alone. */
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What a dialect writes before, for, and after the text; each an event of the stream. */
export interface Dialect {
  readonly begin: readonly object[];
  readonly text: (text: string) => object;
  readonly end: readonly object[];
  /** A whole answer that asks for a call of a tool. */
  readonly calling: (call: AskedCall) => readonly object[];
  /** Whether events have a name of their own, as their `type` says it. */
  readonly named: boolean;
  /** The line after all events. */
  readonly last?: string;
}

const chunk = (delta: object, finish_reason: string | null): object => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
});
const CHAT: Dialect = {
  begin: [chunk({ role: "assistant", content: "" }, null)],
  text: (content) => chunk({ content }, null),
  end: [
    {
      ...chunk({}, "stop"),
      usage: { prompt_tokens: 10, completion_tokens: TOKENS, total_tokens: 10 + TOKENS },
    },
  ],
  calling: ({ id, name, arguments: given }) => [
    chunk(
      {
        role: "assistant",
        tool_calls: [
          { index: 0, id, type: "function", function: { name, arguments: JSON.stringify(given) } },
        ],
      },
      null,
    ),
    chunk({}, "tool_calls"),
  ],
  named: false,
  last: "[DONE]",
};

const item = (status: string, content: readonly object[]): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  status,
  content,
});
const said = { type: "output_text", text: "done", annotations: [] };
const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
const response = (status: string, more: object): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status,
  output: [],
  ...more,
});
const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: TOKENS,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 10 + TOKENS,
};
const RESPONSES: Dialect = {
  begin: [
    { type: "response.created", response: response("in_progress", {}) },
    { type: "response.output_item.added", output_index: 0, item: item("in_progress", []) },
    { type: "response.content_part.added", ...place, part: { ...said, text: "" } },
  ],
  text: (delta) => ({ type: "response.output_text.delta", ...place, delta }),
  end: [
    { type: "response.output_text.done", ...place, text: said.text },
    { type: "response.content_part.done", ...place, part: said },
    { type: "response.output_item.done", output_index: 0, item: item("completed", [said]) },
    {
      type: "response.completed",
      response: response("completed", { usage, output: [item("completed", [said])] }),
    },
  ],
  calling({ id, name, arguments: given }) {
    const call = {
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(given),
    };
    return [
      { type: "response.created", response: response("in_progress", {}) },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...call, status: "in_progress", arguments: "" },
      },
      {
        type: "response.function_call_arguments.done",
        item_id: call.id,
        output_index: 0,
        arguments: call.arguments,
      },
      { type: "response.output_item.done", output_index: 0, item: { ...call, status: "completed" } },
      {
        type: "response.completed",
        response: response("completed", { usage, output: [{ ...call, status: "completed" }] }),
      },
    ];
  },
  named: true,
};

const messageStart = {
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
};
const blockStart = (content_block: object): object => ({
  type: "content_block_start",
  index: 0,
  content_block,
});
const blockDelta = (delta: object): object => ({ type: "content_block_delta", index: 0, delta });
const messageEnd = (stop_reason: string): readonly object[] => [
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: TOKENS } },
  { type: "message_stop" },
];
const MESSAGES: Dialect = {
  begin: [messageStart, blockStart({ type: "text", text: "" })],
  text: (text) => blockDelta({ type: "text_delta", text }),
  end: messageEnd("end_turn"),
  calling: ({ id, name, arguments: given }) => [
    messageStart,
    blockStart({ type: "tool_use", id, name, input: {} }),
    blockDelta({ type: "input_json_delta", partial_json: JSON.stringify(given) }),
    ...messageEnd("tool_use"),
  ],
  named: true,
};

const candidate = (part: object, more: object = {}): object => ({
  candidates: [{ index: 0, content: { role: "model", parts: [part] }, ...more }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: TOKENS, totalTokenCount: 10 + TOKENS },
  modelVersion: "m",
});
/** The last part of an answer, which may be all of it. */
export const geminiEnd = (part: object): object => candidate(part, { finishReason: "STOP" });
const GEMINI: Dialect = {
  begin: [],
  text: (text) => candidate({ text }),
  end: [geminiEnd({ text: "" })],
  calling: ({ name, arguments: args }) => [geminiEnd({ functionCall: { name, args } })],
  named: false,
};

/** Tells the dialect by the path of a request. */
export function dialectOf(path: string): Dialect {
  if (path.includes("streamGenerateContent")) return GEMINI;
  if (path.endsWith("/responses")) return RESPONSES;
  return path.endsWith("/messages") ? MESSAGES : CHAT;
}
