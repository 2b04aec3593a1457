import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";

/**
 * A model server for agents of all kinds: it answers each request with the same few tokens, in the dialect of its path.
 * `--stamps` makes each token say when it was written, in microseconds of the machine's clock. Prints its address as a
 * line of JSON; ends with its standard input.
 */
const { values } = parseArgs({
  options: {
    tokens: { type: "string", default: "3" },
    pace: { type: "string", default: "0" },
    stamps: { type: "boolean", default: false },
  },
});
const TOKENS = Number(values.tokens);
const PACE_MS = Number(values.pace);

/** What a dialect writes before, for, and after the text; each an event of the stream. */
interface Dialect {
  readonly begin: readonly object[];
  readonly text: (text: string) => object;
  readonly end: readonly object[];
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
  named: true,
};

const MESSAGES: Dialect = {
  begin: [
    {
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
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ],
  text: (text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  end: [
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: TOKENS },
    },
    { type: "message_stop" },
  ],
  named: true,
};

const candidate = (text: string, more: object = {}): object => ({
  candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...more }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: TOKENS, totalTokenCount: 10 + TOKENS },
  modelVersion: "m",
});
const GEMINI: Dialect = {
  begin: [],
  text: (text) => candidate(text),
  end: [candidate("", { finishReason: "STOP" })],
  named: false,
};

function dialectOf(path: string): Dialect {
  if (path.includes("streamGenerateContent")) return GEMINI;
  if (path.endsWith("/responses")) return RESPONSES;
  return path.endsWith("/messages") ? MESSAGES : CHAT;
}

const event = (dialect: Dialect, value: object): string => {
  const name = dialect.named && "type" in value ? `event: ${String(value.type)}\n` : "";
  return `${name}data: ${JSON.stringify(value)}\n\n`;
};

const server = createServer({ noDelay: true }, (request, answer) => {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  request.resume().on("end", () => {
    if (request.method === "GET")
      return void answer.end(JSON.stringify({ object: "list", data: [{ id: "test-model" }] }));
    if (path.includes("countTokens")) return void answer.end(JSON.stringify({ totalTokens: 10 }));
    if (path.includes(":generateContent"))
      return void answer.end(JSON.stringify(candidate("{}", { finishReason: "STOP" })));
    const dialect = dialectOf(path);
    void (async () => {
      answer.writeHead(200, { "content-type": "text/event-stream" });
      let text = dialect.begin.map((each) => event(dialect, each)).join("");
      for (let token = 0; token < TOKENS; token += 1) {
        if (PACE_MS > 0) await pause(PACE_MS);
        text += event(
          dialect,
          dialect.text(values.stamps ? `@${process.hrtime.bigint() / 1000n} ` : "word "),
        );
        if (PACE_MS > 0) {
          answer.write(text);
          text = "";
        }
      }
      text += dialect.end.map((each) => event(dialect, each)).join("");
      answer.end(text + (dialect.last === undefined ? "" : `data: ${dialect.last}\n\n`));
    })();
  });
});
server.listen(0, "127.0.0.1", () => {
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${port}/v1` }));
});
process.stdin.resume().on("end", () => {
  server.closeAllConnections();
  server.close();
});
