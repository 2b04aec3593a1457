import type { ErrorWords, Frame, ServerDialect } from "./dialect.ts";
import { field, type RecordedRequest } from "./recorded.ts";
import { cut, type Reply, type Step } from "./reply.ts";

/** The responses dialect, as servers speak it. */
export const responsesDialect: ServerDialect = {
  name: "responses",
  path: "/v1/responses",
  isStreamed: (request) => field(request.body, "stream") === true,
  frames: (reply, request) => new ResponseStream(reply, request).frames(),
  whole: (reply, request) => finished(reply, request, itemsOf(reply, request)),
  errorFrame: ({ message, code }) =>
    dataFrame({ type: "error", code: code ?? "server_error", message, param: null }),
  errorBody,
};

type Item = Readonly<Record<string, unknown>>;

const dataFrame = (event: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function errorBody({ message, type = "server_error", code }: ErrorWords): unknown {
  return { error: { message, type, param: null, code: code ?? null } };
}

/** Opaque to clients: whoever sends it back has seen it. */
const encrypted = (text: string): string => `encrypted:${Buffer.from(text).toString("base64")}`;

const wantsEncrypted = ({ body }: RecordedRequest): boolean => {
  const include = field(body, "include");
  return Array.isArray(include) && include.includes("reasoning.encrypted_content");
};

const messageItem = (n: number, text: string): Item => ({
  type: "message",
  id: `msg_${n}`,
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

const reasoningItem = (n: number, text: string, request: RecordedRequest): Item => ({
  type: "reasoning",
  id: `rs_${n}`,
  summary: [{ type: "summary_text", text }],
  ...(wantsEncrypted(request) ? { encrypted_content: encrypted(text) } : {}),
});

const callItem = (n: number, { id, name, arguments: text }: Extract<Step, { type: "call" }>): Item => ({
  type: "function_call",
  id: `fc_${n}`,
  status: "completed",
  call_id: id,
  name,
  arguments: text,
});

/** The output items of a reply: texts that follow each other are one. */
function itemsOf({ steps }: Reply, request: RecordedRequest): readonly Item[] {
  const items: Item[] = [];
  let said: { type: "text" | "reasoning"; text: string } | undefined;
  const close = (): void => {
    if (said?.type === "text") items.push(messageItem(items.length, said.text));
    if (said?.type === "reasoning") items.push(reasoningItem(items.length, said.text, request));
    said = undefined;
  };
  for (const step of steps) {
    if (step.type === "text" || step.type === "reasoning") {
      if (said?.type !== step.type) close();
      said = { type: step.type, text: (said?.text ?? "") + step.text };
    } else if (step.type === "call") {
      close();
      items.push(callItem(items.length, step));
    }
  }
  close();
  return items;
}

function finished(reply: Reply, request: RecordedRequest, output: readonly Item[]): Item {
  const status = reply.finish === "length" ? "incomplete" : "completed";
  const details = status === "incomplete" ? { reason: "max_output_tokens" } : null;
  return {
    ...envelope(request),
    status,
    incomplete_details: details,
    output,
    ...(usageOf(reply) === null ? {} : { usage: usageOf(reply) }),
  };
}

const envelope = ({ n, body }: RecordedRequest): Item => ({
  id: `resp_${n}`,
  object: "response",
  created_at: 1_767_225_600,
  status: "in_progress",
  error: null,
  incomplete_details: null,
  model: field(body, "model") ?? "unknown",
  output: [],
});

function usageOf({ usage = { input: 10, output: 5 } }: Reply): unknown {
  if (usage === null) return null;
  if ("raw" in usage) return usage.raw;
  const { input, output, cached = 0, reasoning = 0 } = usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** The frames of a streamed response: each item is opened, filled and closed. */
class ResponseStream {
  readonly #reply: Reply;
  readonly #request: RecordedRequest;
  readonly #frames: (Frame | Extract<Step, { type: "gate" }>)[] = [];
  #count = 0;
  #index = -1;
  #said: { type: "text" | "reasoning"; text: string } | undefined;

  constructor(reply: Reply, request: RecordedRequest) {
    this.#reply = reply;
    this.#request = request;
  }

  frames(): ReturnType<ServerDialect["frames"]> {
    const { steps } = this.#reply;
    for (const type of ["response.created", "response.in_progress"])
      this.#add("head", type, { response: envelope(this.#request) });
    for (const step of steps) this.#step(step);
    this.#closeText();
    if (this.#reply.finish !== null) {
      const response = finished(this.#reply, this.#request, itemsOf(this.#reply, this.#request));
      this.#add("usage", `response.${String(response["status"])}`, { response });
    }
    this.#frames.push({ place: "done", text: "" });
    return this.#frames;
  }

  #step(step: Step): void {
    switch (step.type) {
      case "gate":
        this.#frames.push(step);
        return;
      case "event":
        this.#frames.push({
          place: "event",
          text: dataFrame({ type: String(field(step.value, "type")), ...(step.value as object) }),
        });
        return;
      case "text":
      case "reasoning":
        return this.#say(step.type, step.text);
      case "call":
        return this.#call(step);
    }
  }

  #say(type: "text" | "reasoning", text: string): void {
    if (this.#said?.type !== type) {
      this.#closeText();
      this.#index += 1;
      this.#said = { type, text: "" };
      this.#item(
        "added",
        type === "text" ? { ...messageItem(this.#index, ""), content: [] } : this.#thought(""),
      );
      if (type === "text") this.#part("added", "");
      else this.#summaryPart("added", "");
    }
    this.#said.text += text;
    const [place, event] =
      type === "text"
        ? (["text", "response.output_text.delta"] as const)
        : (["reasoning", "response.reasoning_summary_text.delta"] as const);
    this.#add(place, event, { ...this.#where(), delta: text, logprobs: [] });
  }

  #closeText(): void {
    const said = this.#said;
    this.#said = undefined;
    if (said === undefined) return;
    if (said.type === "text") {
      this.#add("event", "response.output_text.done", {
        ...this.#where("text"),
        text: said.text,
        logprobs: [],
      });
      this.#part("done", said.text);
      this.#item("done", messageItem(this.#index, said.text));
    } else {
      this.#add("event", "response.reasoning_summary_text.done", {
        ...this.#where("reasoning"),
        text: said.text,
      });
      this.#summaryPart("done", said.text);
      this.#item("done", this.#thought(said.text));
    }
  }

  #call(step: Extract<Step, { type: "call" }>): void {
    this.#closeText();
    this.#index += 1;
    const item = callItem(this.#index, step);
    const where = { item_id: `fc_${this.#index}`, output_index: this.#index };
    this.#item("added", { ...item, status: "in_progress", arguments: "" }, "call");
    for (const delta of cut(step.arguments, step.pieces))
      this.#add("call", "response.function_call_arguments.delta", { ...where, delta });
    this.#add("event", "response.function_call_arguments.done", {
      ...where,
      name: step.name,
      arguments: step.arguments,
    });
    this.#item("done", item);
  }

  #thought(text: string): Item {
    const item = reasoningItem(this.#index, text, this.#request);
    return text === "" ? { ...item, summary: [] } : item;
  }

  #where(type = this.#said?.type): Item {
    const base = { output_index: this.#index };
    return type === "text"
      ? { item_id: `msg_${this.#index}`, ...base, content_index: 0 }
      : { item_id: `rs_${this.#index}`, ...base, summary_index: 0 };
  }

  #part(what: "added" | "done", text: string): void {
    const part = { type: "output_text", text, annotations: [], logprobs: [] };
    this.#add("event", `response.content_part.${what}`, { ...this.#where("text"), part });
  }

  #summaryPart(what: "added" | "done", text: string): void {
    const part = { type: "summary_text", text };
    this.#add("event", `response.reasoning_summary_part.${what}`, { ...this.#where("reasoning"), part });
  }

  #item(what: "added" | "done", item: Item, place: Frame["place"] = "event"): void {
    this.#add(place, `response.output_item.${what}`, { output_index: this.#index, item });
  }

  #add(place: Frame["place"], type: string, fields: Item): void {
    this.#frames.push({ place, text: dataFrame({ type, sequence_number: this.#count, ...fields }) });
    this.#count += 1;
  }
}
