import { isJsonObject } from "../../shared/json/json.ts";
import { badRequest, HttpError } from "../server/http-error.ts";
import { type MessagePart, readMessageContent, hasContent, scalarText } from "./message-content.ts";
import { partsOfMessage, readRequestMessage, type RequestMessage } from "./request-message.ts";

/** The prompt of a request, and the messages before it. */
export interface RequestInput {
  readonly prompt: { readonly parts: readonly MessagePart[]; readonly param: string };
  readonly before: readonly RequestMessage[];
}

/** Reads an `input`: text, or messages of which the last is the prompt. @throws HttpError 400 */
export function readInput(input: unknown): RequestInput {
  if (input === undefined || input === null) throw badRequest("Missing 'input' field", "input");
  if (typeof input !== "string" && !Array.isArray(input))
    throw badRequest("'input' must be a string or array", "input");
  const messages = typeof input === "string" ? [input] : (input as readonly unknown[]);
  const read = readItems(messages, "input");
  const before = read.slice(0, -1);
  const last = read.at(-1);
  const parts = last === undefined ? [] : partsOfMessage(last);
  if (!hasContent(parts)) throw badRequest("No user message found in input", "input");
  return { prompt: { parts, param: "input" }, before };
}

/** Reads the items of a conversation, as the messages that they are. @throws HttpError 400 */
export const readItems = (items: readonly unknown[], param: string): readonly RequestMessage[] =>
  items.flatMap((item, index) => readEntry(item, `${param}[${index}]`));

/** Text, a message, or an item of the responses API; items of other kinds say nothing here. */
function readEntry(entry: unknown, param: string): readonly RequestMessage[] {
  if (typeof entry === "string") return [{ role: "user", parts: readMessageContent(entry, param), param }];
  if (!isJsonObject(entry)) return [];
  switch (entry["type"]) {
    case undefined:
    case "message":
      return readRequestMessage({ role: "user", ...entry }, param);
    case "function_call":
      return readRequestMessage(
        { role: "assistant", tool_calls: [{ id: entry["call_id"], function: entry }] },
        param,
      );
    case "function_call_output":
      return readRequestMessage(
        { role: "tool", tool_call_id: entry["call_id"], content: entry["output"] },
        param,
      );
    case "mcp_call":
      return readMcpCall(entry, param);
    default:
      return [];
  }
}

/** A call that a server ran, with its result. */
function readMcpCall(
  { id, name, arguments: written, output, error }: Readonly<Record<string, unknown>>,
  param: string,
): readonly RequestMessage[] {
  const callId = scalarText(id) || `mcp_${param}`.replaceAll(/\W/g, "_");
  const told = output ?? (isJsonObject(error) ? JSON.stringify(error) : error);
  return [
    ...readRequestMessage(
      { role: "assistant", tool_calls: [{ id: callId, function: { name, arguments: written } }] },
      param,
    ),
    ...readRequestMessage({ role: "tool", tool_call_id: callId, content: told }, param),
  ];
}

/** Reads a `conversation_history`. @throws HttpError 400 naming the entry that is wrong */
export function readHistory(history: unknown): readonly RequestMessage[] | undefined {
  if (history === undefined || history === null) return undefined;
  const param = "conversation_history";
  if (!Array.isArray(history)) throw badRequest("'conversation_history' must be an array", param);
  return history.flatMap((entry: unknown, index) => {
    if (!isJsonObject(entry) || !("role" in entry) || !("content" in entry))
      throw new HttpError(400, `'conversation_history[${index}]' must have 'role' and 'content'`, {
        param: `${param}[${index}]`,
      });
    return readRequestMessage(entry, `${param}[${index}]`);
  });
}
