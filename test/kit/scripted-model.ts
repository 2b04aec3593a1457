import {
  type Model,
  type ModelPart,
  type ModelParts,
  type ModelRef,
  type ModelRequest,
  type Models,
  promptText,
} from "../../src/core/index.ts";
import type { HostError } from "../../src/shared/errors/host-error.ts";

/** One step of a scripted reply. */
export type Step =
  | ModelPart
  /** Waits until the gate opens, or the turn is stopped. */
  | { readonly type: "wait"; readonly gate: Gate }
  | { readonly type: "throw"; readonly error: HostError };

/** Something a test opens when it is time. */
export interface Gate {
  readonly opened: Promise<void>;
  /** Somebody waits at it. */
  readonly reached: Promise<void>;
  open(): void;
  arrive(): void;
}

/** Makes a gate, closed. */
export function gate(): Gate {
  const opening = Promise.withResolvers<void>();
  const reaching = Promise.withResolvers<void>();
  return {
    opened: opening.promise,
    reached: reaching.promise,
    open: opening.resolve,
    arrive: reaching.resolve,
  };
}

/** The model says something. */
export const say = (text: string): Step => ({ type: "text", text });

/** The model thinks something. */
export const think = (text: string): Step => ({ type: "reasoning", text });

/** The reply goes on when the gate is open. */
export const wait = (at: Gate): Step => ({ type: "wait", gate: at });

/** The reply fails here. */
export const fail = (error: HostError): Step => ({ type: "throw", error });

/** The provider tells what was used, in tokens. */
export const used = (input: number, output: number): Step => ({
  type: "usage",
  usage: { input, output, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
});

let calls = 0;

/** A tool call; ids count up unless one is given. */
export function callTool(name: string, input: Record<string, unknown> = {}, id = `c${(calls += 1)}`): Step {
  return { type: "call.end", id, name, arguments: JSON.stringify(input) };
}

/** A model that says what a test wrote. */
export interface ScriptedModel extends Models {
  /** Every request it got. */
  readonly requests: ModelRequest[];
  /** The texts of the user messages of every request. */
  readonly seen: string[][];
  /** Adds replies, each the steps of one model call. */
  script(...replies: (readonly Step[])[]): void;
}

/** What a scripted model is, beside its replies. */
export interface ScriptedModelOptions {
  readonly contextLength?: number;
  readonly hasFastTier?: boolean;
  /** Answers calls for which nothing is scripted; by default they say "ok". */
  readonly otherwise?: (request: ModelRequest) => readonly Step[];
}

/**
 * Makes a model of scripted replies, one list of steps for each model call. `finish` is added where it is missing.
 */
export function scriptedModel(...replies: (readonly Step[])[]): ScriptedModel {
  return scriptedModelWith({}, ...replies);
}

/** A scripted model that is not as models are by default. */
export function scriptedModelWith(
  options: ScriptedModelOptions,
  ...replies: (readonly Step[])[]
): ScriptedModel {
  const queue = [...replies];
  const requests: ModelRequest[] = [];
  const seen: string[][] = [];
  const otherwise = options.otherwise ?? (() => [say("ok")]);

  const model = (ref: ModelRef): Model => ({
    provider: ref.provider ?? "scripted",
    name: ref.model ?? "script",
    contextLength: options.contextLength ?? 128_000,
    vision: true,
    ...(options.hasFastTier === true ? { hasFastTier: true } : {}),
    stream(request) {
      requests.push(request);
      seen.push(
        request.messages.flatMap((message) => (message.role === "user" ? [promptText(message.parts)] : [])),
      );
      return played(queue.shift() ?? otherwise(request), request.signal);
    },
  });

  return {
    requests,
    seen,
    script: (...more) => void queue.push(...more),
    resolve: model,
    parse(text) {
      const [provider, name] = text.split(":");
      return name === undefined ? { model: text } : { provider: provider ?? "", model: name };
    },
    list: () => Promise.resolve([{ provider: "scripted", model: "script", current: true }]),
    price: () => 0,
  };
}

/** A reply whose parts are by turns yielded and offered first, as both happens with a model that streams. */
function played(steps: readonly Step[], signal: AbortSignal): ModelParts {
  let take: ((part: ModelPart) => boolean) | undefined;
  const offer = (part: ModelPart): boolean => take?.(part) ?? false;
  return Object.assign(play(steps, signal, offer), { offerTo: (taker: typeof take) => void (take = taker) });
}

async function* play(
  steps: readonly Step[],
  signal: AbortSignal,
  offer: (part: ModelPart) => boolean,
): AsyncGenerator<ModelPart, void> {
  let called = false;
  for (const [index, step] of steps.entries()) {
    if (signal.aborted) return;
    if (step.type === "throw") throw step.error;
    if (step.type === "wait") await atGate(step.gate, signal);
    else if (index % 2 === 0 || !offer(step)) yield step;
    called ||= step.type === "call.end";
    if (step.type === "finish") return;
  }
  if (!signal.aborted) yield { type: "finish", reason: called ? "tool_calls" : "stop" };
}

async function atGate(at: Gate, signal: AbortSignal): Promise<void> {
  at.arrive();
  const stopped = Promise.withResolvers<void>();
  const stop = (): void => stopped.resolve();
  if (signal.aborted) return;
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([at.opened, stopped.promise]);
  signal.removeEventListener("abort", stop);
}
