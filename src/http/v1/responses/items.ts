import { createHash } from "node:crypto";
import type { ToolCall, ToolOutcome } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";

/** An item of a response's input or output. */
export type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

/** The form of the model's reasoning: a summary, which `reasoning.summary` asks for, or the item's content. */
export type ReasoningForm = "summary" | "text";

/**
 * Makes the id of an item. It follows from the response, so that every reader gets the same, and it tells the response,
 * so that a request may refer to the item by its id alone.
 */
export const itemId = (prefix: string, response: string, name: string): string =>
  `${prefix}_${response.replace(/^resp_/, "")}_${createHash("sha256").update(`${response}:${name}`).digest("hex").slice(0, 16)}`;

/** Gives the id of the response that an item or a shown call belongs to; `undefined` for ids that were not made here. */
export function responseOfItem(id: unknown): string | undefined {
  const hex = typeof id === "string" ? /^[a-z]+_([0-9a-f]{28})_[0-9a-f]{16}$/.exec(id)?.[1] : undefined;
  return hex === undefined ? undefined : `resp_${hex}`;
}

/**
 * The form in which clients are shown the calls of the agent's tools. The items of `function_call` are those with which
 * a model asks its client to run something, and stock clients do so; `mcp_call` items are shown only.
 */
export type ToolItems = "function_call" | "mcp_call";

/** Makes the `call_id` under which a call is shown; the model's own ids do not tell the response. */
export const shownCallId = (response: string, callId: string): string => itemId("call", response, callId);

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

/** Gives the arguments of a call as the wire has them. */
export const callArguments = ({ input, malformed }: ToolCall): string => malformed ?? JSON.stringify(input);

/** @param callId - as the wire has it */
export const callItem = (
  response: string,
  call: ToolCall,
  { callId, status }: { readonly callId: string; readonly status: "in_progress" | "completed" },
): Item => ({
  id: itemId("fc", response, call.id),
  type: "function_call",
  status,
  call_id: callId,
  name: call.name,
  arguments: callArguments(call),
});

/** @param shownAs - the call's id as the wire has it */
export const resultItem = (
  response: string,
  callId: string,
  { shownAs, output }: { readonly shownAs: string; readonly output: string },
): Item => ({
  id: itemId("fco", response, callId),
  type: "function_call_output",
  status: "completed",
  call_id: shownAs,
  output,
});

export const mcpCallId = (response: string, callId: string): string => itemId("mcp", response, callId);

/** The state of a call that is shown as an `mcp_call`: it begins, it goes on, it was cut, or it has a result. */
export type McpCallState =
  | "begun"
  | "running"
  | "incomplete"
  | { readonly outcome: ToolOutcome; readonly output: string };

/** A call as an item that clients only show. */
export function mcpCallItem(response: string, call: ToolCall, state: McpCallState): Item {
  const result = typeof state === "object" ? state : undefined;
  const isFailed = result !== undefined && result.outcome !== "ok";
  const open = state === "incomplete" ? "incomplete" : "in_progress";
  return {
    id: mcpCallId(response, call.id),
    type: "mcp_call",
    status: result === undefined ? open : isFailed ? "failed" : "completed",
    server_label: "agent",
    name: call.name,
    arguments: state === "begun" ? "" : callArguments(call),
    ...defined({
      output: isFailed ? undefined : result?.output,
      error: isFailed
        ? { type: "mcp_tool_execution_error", content: [{ type: "text", text: result.output }] }
        : undefined,
    }),
  };
}

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
