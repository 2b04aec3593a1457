import { readTranscript, type Session, type Store, type TranscriptEntry } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { badRequest } from "../../server/http-error.ts";
import { itemId, outputTextPart, type Item } from "../responses/items.ts";
import type { ConversationItem } from "./conversation-store.ts";

/** Items of one request, as with the API's public form. */
const MOST = 20;

/**
 * Reads items that a client adds. Each gets an id if it has none, and messages get the form in which they are listed.
 *
 * @throws HttpError 400
 */
export function readNewItems(items: unknown, newId: (prefix: string) => string): readonly ConversationItem[] {
  if (!Array.isArray(items)) throw badRequest("'items' must be an array.", "items");
  if (items.length > MOST) throw badRequest(`At most ${MOST} items can be added at once.`, "items");
  return items.map((item: unknown, index) => {
    if (!isJsonObject(item)) throw badRequest(`'items[${index}]' must be an object.`, `items[${index}]`);
    const type = typeof item["type"] === "string" ? item["type"] : "message";
    const id = typeof item["id"] === "string" ? item["id"] : newId(PREFIX[type] ?? "item");
    return type === "message" ? messageItem(item, id) : { ...item, id, type };
  });
}

const PREFIX: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  mcp_call: "mcp",
  reasoning: "rs",
};

function messageItem(item: Readonly<Record<string, unknown>>, id: string): ConversationItem {
  const { role = "user", content } = item;
  const part = (text: string) =>
    role === "assistant" ? outputTextPart(text) : { type: "input_text" as const, text };
  const parts = typeof content === "string" ? [part(content)] : (content ?? []);
  return { status: "completed", ...item, id, type: "message", role, content: parts };
}

/** Entries of a conversation that are listed, the newest. */
const LISTED = 5000;

/** Reads what was said in a session, as items. */
export async function sessionItems(store: Store, session: Session): Promise<readonly Item[]> {
  const { entries } = await readTranscript(store, session, { limit: LISTED });
  return entries.flatMap((entry, index) => {
    // A message that is not whole is marked, as the API's public form has it.
    const whole = entries[index + 1]?.role !== "end";
    return encodeEntry(entry, { session: session.id, index, whole });
  });
}

interface Place {
  readonly session: string;
  readonly index: number;
  /** Its turn went on after it, or completed. */
  readonly whole: boolean;
}

function encodeEntry(entry: TranscriptEntry, { session, index, whole }: Place): readonly Item[] {
  const id = (prefix: string): string => itemId(prefix, session, `${entry.seq}:${index}`);
  const message = (role: string, content: readonly object[]): Item => ({
    id: id("msg"),
    type: "message",
    status: whole || role === "user" ? "completed" : "incomplete",
    role,
    content,
  });
  switch (entry.role) {
    case "user":
      return [
        message(
          "user",
          entry.parts.flatMap((part) => (part.type === "text" ? [inputText(part.text)] : [])),
        ),
      ];
    case "steer":
      return [message("user", [inputText(entry.text)])];
    case "assistant":
      return entry.text === "" ? [] : [message("assistant", [outputTextPart(entry.text)])];
    case "tool":
      return [toolItem(id("mcp"), entry)];
    case "summary":
    case "end":
      return [];
  }
}

const inputText = (text: string) => ({ type: "input_text", text });

const toolItem = (id: string, { name, outcome, text }: Extract<TranscriptEntry, { role: "tool" }>): Item => ({
  id,
  type: "mcp_call",
  status: outcome === "ok" ? "completed" : "failed",
  server_label: "agent",
  name,
  arguments: "{}",
  output: text,
});
