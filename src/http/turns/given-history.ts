import { isJsonObject } from "../../shared/json/json.ts";
import { Refusal } from "../server/refusal.ts";
import { type GivenPart, readContent, saysSomething } from "./content.ts";
import { readMessage, type ReadMessage } from "./given-messages.ts";

/** The prompt of a request, and what was said before it. */
export interface GivenInput {
  readonly prompt: { readonly parts: readonly GivenPart[]; readonly param: string };
  readonly before: readonly ReadMessage[];
}

/**
 * Reads an `input`: text, or messages of which the last is the prompt.
 *
 * @throws Refusal 400
 */
export function readInput(input: unknown): GivenInput {
  if (input === undefined || input === null)
    throw new Refusal(400, "Missing 'input' field", { param: "input" });
  if (typeof input !== "string" && !Array.isArray(input))
    throw new Refusal(400, "'input' must be a string or array", { param: "input" });
  const messages = typeof input === "string" ? [input] : (input as readonly unknown[]);
  const read = messages.flatMap((message, index) => readEntry(message, `input[${index}]`));
  const before = read.slice(0, -1);
  const last = read.at(-1);
  const parts = last === undefined ? [] : partsOf(last);
  if (!saysSomething(parts)) throw new Refusal(400, "No user message found in input", { param: "input" });
  return { prompt: { parts, param: "input" }, before };
}

function partsOf(message: ReadMessage): readonly GivenPart[] {
  if (message.role === "user") return message.parts;
  return message.text === "" ? [] : [{ type: "text", text: message.text }];
}

/** Text, a message, or an item of the responses API; items of other kinds say nothing here. */
function readEntry(entry: unknown, param: string): readonly ReadMessage[] {
  if (typeof entry === "string") return [{ role: "user", parts: readContent(entry, param), param }];
  if (!isJsonObject(entry)) return [];
  switch (entry["type"]) {
    case undefined:
    case "message":
      return readMessage({ role: "user", ...entry }, param);
    case "function_call":
      return readMessage(
        { role: "assistant", tool_calls: [{ id: entry["call_id"], function: entry }] },
        param,
      );
    case "function_call_output":
      return readMessage({ role: "tool", tool_call_id: entry["call_id"], content: entry["output"] }, param);
    default:
      return [];
  }
}

/**
 * Reads a `conversation_history`.
 *
 * @throws Refusal 400 naming the entry that is wrong
 */
export function readHistory(history: unknown): readonly ReadMessage[] | undefined {
  if (history === undefined || history === null) return undefined;
  const param = "conversation_history";
  if (!Array.isArray(history)) throw new Refusal(400, "'conversation_history' must be an array", { param });
  return history.flatMap((entry: unknown, index) => {
    if (!isJsonObject(entry) || !("role" in entry) || !("content" in entry))
      throw new Refusal(400, `'conversation_history[${index}]' must have 'role' and 'content'`, {
        param: `${param}[${index}]`,
      });
    return readMessage(entry, `${param}[${index}]`);
  });
}
