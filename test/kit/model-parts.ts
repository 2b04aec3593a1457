import { textPart } from "../../src/core/events/content.ts";
import type { HostError } from "../../src/shared/errors/host-error.ts";
import { toHostError } from "../../src/shared/errors/host-error.ts";
import type { Model, ModelPart, ModelParts, ModelRequest } from "../../src/core/ports/model.ts";

/** A request that says one thing, with anything in it changed. */
export function modelRequest(
  change: Partial<ModelRequest> & { readonly prompt?: string } = {},
): ModelRequest {
  const { prompt = "hi", ...rest } = change;
  return {
    system: "Be brief.",
    messages: [{ role: "user", parts: [textPart(prompt)] }],
    tools: [],
    cacheKey: "session-1",
    signal: new AbortController().signal,
    loadBlob: () => Promise.resolve(new Uint8Array([1, 2, 3])),
    ...rest,
  };
}

/** How a model call ended, and all that came before. */
export interface Outcome {
  readonly parts: readonly ModelPart[];
  /** Absent when the stream ended by itself. */
  readonly error?: HostError;
}

/** Reads a reply to its end, and takes every second part when it is offered; an error is part of the outcome. */
export async function outcomeOf(stream: ModelParts): Promise<Outcome> {
  const parts: ModelPart[] = [];
  stream.offerTo?.((part) => parts.length % 2 === 1 && parts.push(part) > 0);
  try {
    for await (const part of stream) parts.push(part);
    return { parts };
  } catch (thrown) {
    return { parts, error: toHostError(thrown) };
  }
}

/** The text of a reply, or its reasoning, joined. */
export const joined = (parts: readonly ModelPart[], type: "text" | "reasoning" = "text"): string =>
  parts.map((part) => (part.type === type ? part.text : "")).join("");

/** A reply with the cuts between its pieces taken out: equal replies are equal, however they arrived. */
export function uncut(parts: readonly ModelPart[]): readonly ModelPart[] {
  const whole: ModelPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if ((part.type === "text" || part.type === "reasoning") && last?.type === part.type) {
      whole[whole.length - 1] = { ...part, text: last.text + part.text };
    } else if (part.type === "call.delta" && last?.type === "call.delta" && last.id === part.id) {
      whole[whole.length - 1] = { ...part, text: last.text + part.text };
    } else whole.push(part);
  }
  return whole;
}

/** The calls of a reply, arguments parsed. */
export const callsIn = (
  parts: readonly ModelPart[],
): readonly { id: string; name: string; input: unknown }[] =>
  parts.flatMap((part) =>
    part.type === "call.end"
      ? [{ id: part.id, name: part.name, input: JSON.parse(part.arguments) as unknown }]
      : [],
  );

/** Asks a model and reads the reply to its end. */
export const ask = (model: Model, change: Parameters<typeof modelRequest>[0] = {}): Promise<Outcome> =>
  outcomeOf(model.stream(modelRequest(change)));
