import { type Clock, sleep } from "../../../../shared/async/clock.ts";
import {
  type Model,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
  estimateText,
  estimateTokens,
  promptText,
} from "../../../../core/index.ts";
import { HostError } from "../../../../shared/errors/host-error.ts";
import type { ProviderKindInfo } from "../provider-kind.ts";
import { answerAbout, demoAnswer, noSuchTool, thoughtsOf } from "./answers.ts";
import { type DemoIntent, intentOf, type DemoCall } from "./intents.ts";

/** The clock, the ids and the pace of the demo model. */
export interface DemoOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** Milliseconds between two pieces of text; 0 by default. */
  readonly delayMs?: number;
}

/** The demo's kind of provider. It has no endpoint and so no dialect of the wire. */
export const demoProviders = {
  demo: { menu: { place: 15, label: "Nowhere yet: the built-in demo model" } },
} as const satisfies Record<string, ProviderKindInfo>;

const CONTEXT = 128_000;

/** A model that needs no network and no key: it says what it is, and follows a few phrases so that all of the host can be tried. */
export function demoModel({ clock, newId, delayMs = 0 }: DemoOptions): Model {
  return {
    provider: "demo",
    name: "demo",
    contextLength: CONTEXT,
    vision: false,
    async *stream(request) {
      let written = 0;
      for (const part of reply(request, newId)) {
        if (delayMs > 0) await sleep(clock, delayMs, request.signal);
        if (request.signal.aborted) return;
        if ("text" in part) written += estimateText(part.text);
        yield part.type === "finish" ? { type: "usage", usage: usageOf(request, written) } : part;
        if (part.type === "finish") yield part;
      }
    },
  };
}

function* reply(request: ModelRequest, newId: () => string): Generator<ModelPart> {
  const last = request.messages.at(-1);
  if (last?.role === "tool") {
    yield* pieces("text", answerAbout(last.results));
    return yield { type: "finish", reason: "stop" };
  }
  const intent = intentOf(promptOf(last));
  switch (intent.type) {
    case "fail":
      throw failure(intent.how);
    case "calls":
      return yield* calls(intent, request, newId);
    case "think":
      yield* pieces("reasoning", thoughtsOf(intent.about));
      break;
    case "count":
    case "greet":
    case "echo":
  }
  yield* pieces("text", demoAnswer(intent));
  yield { type: "finish", reason: "stop" };
}

/** The newest text of a user message: steering and summaries are parts of it too. */
function promptOf(message: ModelMessage | undefined): string {
  if (message?.role !== "user") return "";
  const [newest] = message.parts.filter((part) => part.type === "text").slice(-1);
  return newest?.text ?? promptText(message.parts);
}

function* calls(
  { calls: wanted }: Extract<DemoIntent, { type: "calls" }>,
  { tools }: ModelRequest,
  newId: () => string,
): Generator<ModelPart> {
  const missing = wanted.map(({ tool }) => tool).filter((name) => !tools.some((spec) => spec.name === name));
  if (missing.length > 0) {
    yield* pieces("text", noSuchTool([...new Set(missing)]));
    return yield { type: "finish", reason: "stop" };
  }
  yield* pieces("text", "On it.");
  for (const each of wanted) yield* call(each, newId());
  yield { type: "finish", reason: "tool_calls" };
}

function* call({ tool, input }: DemoCall, id: string): Generator<ModelPart> {
  const text = JSON.stringify(input);
  yield { type: "call.start", id, name: tool };
  for (const piece of split(text)) yield { type: "call.delta", id, text: piece };
  yield { type: "call.end", id, name: tool, arguments: text };
}

function* pieces(type: "text" | "reasoning", text: string): Generator<ModelPart> {
  for (const piece of split(text)) yield { type, text: piece };
}

/** Words with the space before them, as models stream. */
const split = (text: string): readonly string[] => text.match(/\s*\S+|\s+$/g) ?? [];

const FAILURES = {
  auth: ["provider_auth", "Check the key: the demo model would take any."],
  quota: ["provider_quota", "The demo model is free, so there is nothing to pay."],
  "rate limit": ["provider_rate_limit", "Try again in a moment."],
  overloaded: ["provider_overloaded", "Try again in a moment."],
  network: ["provider_network", "Try again."],
  stalled: ["provider_stalled", "Try again."],
} as const;

function failure(how: string): HostError {
  const [code, remedy] = Object.entries(FAILURES).find(([word]) =>
    how.replaceAll("_", " ").startsWith(word),
  )?.[1] ?? [
    "provider_bad_request",
    `Ask for something else; \`fail\` also knows ${Object.keys(FAILURES).join(", ")}.`,
  ];
  return new HostError(code, `The demo model failed because you told it to. ${remedy}`);
}

function usageOf(
  { system, messages }: ModelRequest,
  output: number,
): Extract<ModelPart, { type: "usage" }>["usage"] {
  return {
    input: estimateText(system) + estimateTokens(messages),
    output,
    reasoning: 0,
    cacheRead: 0,
    cacheWrite: 0,
  };
}
