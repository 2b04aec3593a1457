/** How a model speaks to an agent: what it writes before, for and after text, and for a call. */
export interface SpokenDialect {
  readonly begin: string;
  text(text: string): string;
  call(name: string, input: object): string;
  end(after: "text" | "call"): string;
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const COUNT = 10;

const chunk = (delta: object, finish_reason: string | null, more: object = {}): string =>
  data({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });

const CHAT: SpokenDialect = {
  begin: chunk({ role: "assistant", content: "" }, null),
  text: (content) => chunk({ content }, null),
  call: (name, input) => {
    const call = { name, arguments: JSON.stringify(input) };
    return chunk({ tool_calls: [{ index: 0, id: newId("call"), type: "function", function: call }] }, null);
  },
  end: (after) => {
    const usage = { prompt_tokens: COUNT, completion_tokens: COUNT, total_tokens: 2 * COUNT };
    return `${chunk({}, after === "call" ? "tool_calls" : "stop", { usage })}data: [DONE]\n\n`;
  },
};

let ids = 0;
function newId(kind: string): string {
  ids += 1;
  return `${kind}_${ids}`;
}

/** Events of the Responses API, which tell the whole of each item at its end: this one remembers what it said. */
function responses(): SpokenDialect {
  const id = newId("msg");
  const said: string[] = [];
  const items: object[] = [];
  const place = { item_id: id, output_index: 0, content_index: 0 };
  const event = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`;
  const response = (status: string, more: object = {}): object => ({
    id: newId("resp"),
    object: "response",
    created_at: 1,
    model: "m",
    status,
    output: items,
    ...more,
  });
  const message = (status: string): object => ({
    id,
    type: "message",
    role: "assistant",
    status,
    content: said.length === 0 ? [] : [{ type: "output_text", text: said.join(""), annotations: [] }],
  });
  const added = { type: "response.output_item.added", output_index: 0 };
  const done = { type: "response.output_item.done", output_index: 0 };
  return {
    begin: event({ type: "response.created", response: response("in_progress") } as { type: string }),
    text(delta) {
      const first =
        said.length === 0 ? event({ ...added, item: message("in_progress") } as typeof added) : "";
      said.push(delta);
      return first + event({ type: "response.output_text.delta", ...place, delta } as { type: string });
    },
    call(name, input) {
      const call = {
        id: newId("fc"),
        type: "function_call",
        call_id: newId("call"),
        name,
        status: "completed",
      };
      items.push({ ...call, arguments: JSON.stringify(input) });
      return event({ ...done, item: items.at(-1) } as typeof done);
    },
    end() {
      const last = said.length === 0 ? "" : event({ ...done, item: message("completed") } as typeof done);
      if (said.length > 0) items.push(message("completed"));
      const usage = { input_tokens: COUNT, output_tokens: COUNT, total_tokens: 2 * COUNT };
      return (
        last +
        event({ type: "response.completed", response: response("completed", { usage }) } as { type: string })
      );
    },
  };
}

/** The dialect that a path asks for. */
export function dialectOf(path: string): SpokenDialect {
  return path.endsWith("/responses") ? responses() : CHAT;
}
