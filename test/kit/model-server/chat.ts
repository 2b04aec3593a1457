import type { ErrorWords, Frame, ServerDialect } from "./dialect.ts";
import { field, type RecordedRequest } from "./recorded.ts";
import { cut, type Reply, type Step } from "./reply.ts";

/** The chat completions dialect, as servers speak it. */
export const chatDialect: ServerDialect = {
  name: "chat",
  path: "/v1/chat/completions",
  isStreamed: (request) => field(request.body, "stream") === true,
  frames,
  whole,
  errorFrame: (error) => dataFrame(errorBody(error)),
  errorBody,
};

const dataFrame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

function errorBody({ message, type = "server_error", code }: ErrorWords): unknown {
  return { error: { message, type, param: null, code: code ?? null } };
}

function frames(reply: Reply, request: RecordedRequest): ReturnType<ServerDialect["frames"]> {
  const chunk = (choice: unknown, extra: Readonly<Record<string, unknown>> = {}): string =>
    dataFrame({
      ...envelope(request, "chat.completion.chunk"),
      choices: choice === undefined ? [] : [choice],
      ...extra,
    });
  const delta = (value: unknown): string =>
    chunk({ index: 0, delta: value, logprobs: null, finish_reason: null });
  const callCount = { made: 0 };
  const usage = usageOf(reply);
  const finish = finishOf(reply);
  return [
    { place: "head", text: delta({ role: "assistant", content: "" }) },
    ...reply.steps.flatMap((step): ReturnType<ServerDialect["frames"]> => {
      if (step.type === "gate") return [step];
      if (step.type === "event") return [{ place: "event", text: dataFrame(step.value) }];
      return stepFrames(step, { delta, place: step.type === "call" ? callCount.made++ : 0 });
    }),
    ...(finish === null
      ? []
      : [
          {
            place: "finish",
            text: chunk({ index: 0, delta: {}, logprobs: null, finish_reason: finish }),
          } as const,
        ]),
    ...(usage === null ? [] : [{ place: "usage", text: chunk(undefined, { usage }) } as const]),
    { place: "done", text: "data: [DONE]\n\n" },
  ];
}

function stepFrames(
  step: Extract<Step, { type: "text" | "reasoning" | "call" }>,
  { delta, place }: { readonly delta: (value: unknown) => string; readonly place: number },
): readonly Frame[] {
  switch (step.type) {
    case "text":
      return [{ place: "text", text: delta({ content: step.text }) }];
    case "reasoning":
      return [{ place: "reasoning", text: delta({ reasoning_content: step.text }) }];
    case "call":
      return [
        { id: step.id, type: "function", function: { name: step.name, arguments: "" } },
        ...cut(step.arguments, step.pieces).map((piece) => ({ function: { arguments: piece } })),
      ].map((piece) => ({ place: "call", text: delta({ tool_calls: [{ index: place, ...piece }] }) }));
  }
}

function whole(reply: Reply, request: RecordedRequest): unknown {
  const joined = (type: "text" | "reasoning"): string =>
    reply.steps.map((step) => (step.type === type ? step.text : "")).join("");
  const calls = reply.steps.filter((step) => step.type === "call");
  const usage = usageOf(reply);
  const message = {
    role: "assistant",
    content: joined("text") || null,
    ...(joined("reasoning") === "" ? {} : { reasoning_content: joined("reasoning") }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, arguments: text }) => ({
            id,
            type: "function",
            function: { name, arguments: text },
          })),
        }),
  };
  return {
    ...envelope(request, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(reply) }],
    ...(usage === null ? {} : { usage }),
  };
}

const envelope = (request: RecordedRequest, object: string): Readonly<Record<string, unknown>> => ({
  id: `chatcmpl-${request.n}`,
  object,
  created: 1_767_225_600,
  model: field(request.body, "model") ?? "unknown",
});

function finishOf({ finish, steps }: Reply): string | null {
  if (finish !== undefined) return finish;
  return steps.some(({ type }) => type === "call") ? "tool_calls" : "stop";
}

function usageOf({ usage = { input: 10, output: 5 } }: Reply): unknown {
  if (usage === null) return null;
  if ("raw" in usage) return usage.raw;
  const { input, output, cached = 0, reasoning = 0 } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
