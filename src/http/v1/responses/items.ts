import { createHash } from "node:crypto";
import type { ToolCall } from "../../../core/index.ts";

/** An item of a response's input or output. */
export type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

/**
 * The form of the model's reasoning: a summary, which a client asks for with `reasoning.summary`, or the
 * item's content.
 */
export type ReasoningForm = "summary" | "text";

/** Makes the id of an item. It follows from the response, so that every reader gets the same. */
export const itemId = (prefix: string, response: string, name: string): string =>
  `${prefix}_${createHash("sha256").update(`${response}:${name}`).digest("hex").slice(0, 24)}`;

export const outputTextPart = (text: string) => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs: [],
});

export const messageId = (response: string): string => itemId("msg", response, "message");

export function messageItem(
  response: string,
  status: "in_progress" | "completed" | "incomplete",
  text?: string,
): Item {
  const content = text === undefined ? [] : [outputTextPart(text)];
  return { id: messageId(response), type: "message", status, role: "assistant", content };
}

export function callItem(
  response: string,
  { id, name, input, malformed }: ToolCall,
  status: "in_progress" | "completed",
): Item {
  return {
    id: itemId("fc", response, id),
    type: "function_call",
    status,
    call_id: id,
    name,
    arguments: malformed ?? JSON.stringify(input),
  };
}

export const resultItem = (response: string, callId: string, output: string): Item => ({
  id: itemId("fco", response, callId),
  type: "function_call_output",
  status: "completed",
  call_id: callId,
  output,
});

/** @param nth - which piece of reasoning of its response, from 0 */
export const reasoningId = (response: string, nth: number): string =>
  itemId("rs", response, `reasoning:${nth}`);

export const reasoningPart = (form: ReasoningForm, text: string) =>
  form === "summary" ? { type: "summary_text", text } : { type: "reasoning_text", text };

/** @param text - absent while it begins */
export function reasoningItem(
  id: string,
  form: ReasoningForm,
  { status, text }: { readonly status: "in_progress" | "completed"; readonly text?: string },
): Item {
  const parts = text === undefined ? [] : [reasoningPart(form, text)];
  const isSummary = form === "summary";
  return {
    id,
    type: "reasoning",
    status,
    summary: isSummary ? parts : [],
    ...(isSummary ? {} : { content: parts }),
  };
}
