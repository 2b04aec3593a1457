import type { Model, ModelPart } from "../../core/index.ts";

/** A question to a model outside of any session. */
export interface OneQuestion {
  readonly system: string;
  readonly prompt: string;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}

/** The answer to it, and how long it took; milliseconds. */
export interface OneAnswer {
  readonly text: string;
  /** Until the first of its text; absent when there was none. */
  readonly firstMs?: number;
  readonly ms: number;
  readonly usage?: Extract<ModelPart, { readonly type: "usage" }>["usage"];
}

/** Asks a model once. What comes when `signal` aborts is what there is so far. @throws HostError `provider_*` */
export async function askOnce(model: Model, question: OneQuestion): Promise<OneAnswer> {
  const { system, prompt, maxOutputTokens, signal } = question;
  const started = performance.now();
  const passed = (): number => Math.round(performance.now() - started);
  const request = {
    system,
    messages: [{ role: "user", parts: [{ type: "text", text: prompt }] }] as const,
    tools: [],
    maxOutputTokens,
    cacheKey: "doctor",
    signal,
    loadBlob: () => Promise.reject(new Error("no blobs here")),
  };
  let text = "";
  let more: Pick<OneAnswer, "firstMs" | "usage"> = {};
  for await (const part of model.stream(request)) {
    if (part.type === "text") {
      if (text === "") more = { ...more, firstMs: passed() };
      text += part.text;
    } else if (part.type === "usage") more = { ...more, usage: part.usage };
    else if (part.type === "finish") break;
  }
  return { text, ms: passed(), ...more };
}
