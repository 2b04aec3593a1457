import type { ErrorWords, Frame, ServerDialect } from "./dialect.ts";
import { field, type RecordedRequest } from "./recorded.ts";
import { cut, type Reply, type Step } from "./reply.ts";

/** The messages dialect, as servers speak it. */
export const messagesDialect: ServerDialect = {
  name: "messages",
  path: "/v1/messages",
  isStreamed: (request) => field(request.body, "stream") === true,
  frames,
  whole,
  errorFrame: ({ message, code }) =>
    dataFrame({ type: "error", error: { type: code === 503 ? "overloaded_error" : "api_error", message } }),
  errorBody,
};

type Block = Readonly<Record<string, unknown>>;

const dataFrame = (event: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function errorBody({ message, type = "api_error" }: ErrorWords): unknown {
  return { type: "error", error: { type, message } };
}

/** Opaque to clients: whoever sends it back has seen it. */
const signature = (text: string): string => `signed:${Buffer.from(text).toString("base64")}`;

/** A block as it begins, and what fills it. */
interface Filling {
  readonly block: Block;
  readonly place: Frame["place"];
  readonly deltas: readonly (Block | Extract<Step, { type: "gate" | "event" }>)[];
}

/** The blocks of a reply: texts that follow each other are one; gates and bare events stand in the block before them. */
function fillings({ steps }: Reply): readonly Filling[] {
  const blocks: { block: Block; place: Frame["place"]; deltas: Filling["deltas"][number][] }[] = [];
  for (const step of steps) {
    const last = blocks.at(-1);
    if (step.type === "gate" || step.type === "event") {
      if (last === undefined) blocks.push({ block: {}, place: "event", deltas: [step] });
      else last.deltas.push(step);
    } else if (step.type === "call") {
      const { id, name } = step;
      const deltas = cut(step.arguments, step.pieces).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      }));
      blocks.push({ block: { type: "tool_use", id, name, input: {} }, place: "call", deltas });
    } else {
      const [block, delta] =
        step.type === "text"
          ? [
              { type: "text", text: "" },
              { type: "text_delta", text: step.text },
            ]
          : [
              { type: "thinking", thinking: "", signature: "" },
              { type: "thinking_delta", thinking: step.text },
            ];
      if (last?.block["type"] === block.type) last.deltas.push(delta);
      else blocks.push({ block, place: step.type, deltas: [delta] });
    }
  }
  return blocks;
}

const thoughtIn = ({ deltas }: Filling): string =>
  deltas.map((delta) => textOf(field(delta, "thinking"))).join("");

function frames(reply: Reply, request: RecordedRequest): ReturnType<ServerDialect["frames"]> {
  const add = (place: Frame["place"], type: string, fields: Block = {}): Frame => ({
    place,
    text: dataFrame({ type, ...fields }),
  });
  const usage = usageOf(reply);
  const start = { ...envelope(request), usage: startOf(usage) };
  const blocks = fillings(reply).flatMap((filling, index): ReturnType<ServerDialect["frames"]> => {
    const { block, place, deltas } = filling;
    const isBlock = "type" in block;
    const sign = { type: "signature_delta", signature: signature(thoughtIn(filling)) };
    return [
      ...(isBlock
        ? [add(place === "call" ? "call" : "event", "content_block_start", { index, content_block: block })]
        : []),
      ...deltas.map((delta) => {
        if (delta["type"] === "gate") return delta as Extract<Step, { type: "gate" }>;
        if (delta["type"] === "event") {
          const value = delta["value"] as Block;
          return add("event", String(value["type"]), value);
        }
        return add(place, "content_block_delta", { index, delta });
      }),
      ...(block["type"] === "thinking" ? [add("event", "content_block_delta", { index, delta: sign })] : []),
      ...(isBlock ? [add("event", "content_block_stop", { index })] : []),
    ];
  });
  const stop = finishOf(reply);
  const delta = { delta: { stop_reason: stop, stop_sequence: null }, ...(usage === null ? {} : { usage }) };
  return [
    add("head", "message_start", { message: start }),
    add("event", "ping"),
    ...blocks,
    ...(stop === null ? [] : [add("usage", "message_delta", delta)]),
    { place: "done", text: stop === null ? "" : dataFrame({ type: "message_stop" }) },
  ];
}

/** A stream begins with the counts of its input and an output of one token. */
const startOf = (usage: unknown): unknown =>
  typeof usage === "object" && usage !== null ? { ...usage, output_tokens: 1 } : usage;

function whole(reply: Reply, request: RecordedRequest): unknown {
  const content = fillings(reply)
    .filter(({ block }) => "type" in block)
    .map((filling) => {
      const { block, deltas } = filling;
      const joined = (key: string): string => deltas.map((delta) => textOf(field(delta, key))).join("");
      switch (block["type"]) {
        case "text":
          return { ...block, text: joined("text") };
        case "thinking":
          return { ...block, thinking: joined("thinking"), signature: signature(joined("thinking")) };
        default:
          return { ...block, input: JSON.parse(joined("partial_json")) as unknown };
      }
    });
  return { ...envelope(request), content, stop_reason: finishOf(reply), usage: usageOf(reply) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const envelope = ({ n, body }: RecordedRequest): Block => ({
  id: `msg_${n}`,
  type: "message",
  role: "assistant",
  model: field(body, "model") ?? "unknown",
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

function finishOf({ finish, steps }: Reply): string | null {
  if (finish === null) return null;
  if (finish === "length") return "max_tokens";
  return finish ?? (steps.some(({ type }) => type === "call") ? "tool_use" : "end_turn");
}

function usageOf({ usage = { input: 10, output: 5 } }: Reply): unknown {
  if (usage === null) return null;
  if ("raw" in usage) return usage.raw;
  const { input, output, cached = 0, reasoning = 0 } = usage;
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
  };
}
