import { contentText, type GivenMessage, type ToolCall } from "../../core/index.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import { badRequest } from "../server/http-error.ts";
import { type MessagePart, isTextOnly, readMessageContent, scalarText } from "./message-content.ts";
import { type ImageServices, storeImages } from "./images.ts";

/** A message of a conversation that a client sent, read and checked; its images are still to be stored. */
export type RequestMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly parts: readonly MessagePart[]; readonly param: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly text: string };

/**
 * Reads one message in the words of chat completions; roles that mean nothing here give nothing.
 *
 * @param param - where it stands, for errors
 * @throws HttpError 400
 */
export function readRequestMessage(message: unknown, param: string): readonly RequestMessage[] {
  if (!isJsonObject(message)) throw badRequest(`'${param}' must be an object with a role.`, param);
  const role = typeof message["role"] === "string" ? message["role"].trim().toLowerCase() : "";
  const at = `${param}.content`;
  switch (role) {
    case "system":
    case "developer":
      return [{ role: "system", text: systemText(message["content"], 0) }];
    case "user":
      return [{ role, parts: readMessageContent(message["content"], at), param: at }];
    case "assistant":
      return [
        {
          role,
          text: contentText(readMessageContent(message["content"], at)),
          calls: readCalls(message["tool_calls"]),
        },
      ];
    case "tool":
      return [
        {
          role,
          callId: scalarText(message["tool_call_id"]),
          text: contentText(readMessageContent(message["content"], at)),
        },
      ];
    default:
      return [];
  }
}

/** Images say nothing to a system prompt; arrays in arrays are read some levels down. */
function systemText(content: unknown, depth: number): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    if (depth >= 10) return "";
    return content
      .map((part: unknown) => systemText(part, depth + 1))
      .filter((text) => text !== "")
      .join("\n");
  }
  return isJsonObject(content) && typeof content["text"] === "string" ? content["text"] : "";
}

function readCalls(calls: unknown): readonly ToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown, index) => {
    const named = isJsonObject(call) && isJsonObject(call["function"]) ? call["function"] : undefined;
    if (named === undefined || !isJsonObject(call)) return [];
    const id = typeof call["id"] === "string" && call["id"] !== "" ? call["id"] : `call_${index}`;
    const name = scalarText(named["name"]);
    const written = scalarText(named["arguments"]) || "{}";
    try {
      const input = parseForeignJson(written);
      if (isJsonObject(input)) return [{ id, name, input }];
    } catch {
      // Not JSON: it is kept as the model wrote it.
    }
    return [{ id, name, input: {}, malformed: written }];
  });
}

/** Gives the parts of a message that is the prompt, whoever is named as its sender. */
export function partsOfMessage(message: RequestMessage): readonly MessagePart[] {
  switch (message.role) {
    case "user":
      return message.parts;
    case "assistant":
    case "system":
      return message.text === "" ? [] : [{ type: "text", text: message.text }];
    case "tool":
      return [{ type: "text", text: `[Result of call ${message.callId}]\n${message.text}` }];
  }
}

/** The texts of the system messages, joined; `undefined` when there are none. */
export function instructionsOf(messages: readonly RequestMessage[]): string | undefined {
  const texts = messages.flatMap((message) =>
    message.role === "system" && message.text !== "" ? [message.text] : [],
  );
  return texts.length === 0 ? undefined : texts.join("\n");
}

/** Messages as history for the host; their images are in the store then. System messages are left out. */
export async function storeHistory(
  messages: readonly RequestMessage[],
  services: ImageServices,
): Promise<readonly GivenMessage[]> {
  const given: GivenMessage[] = [];
  const loading: Promise<void>[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    if (message.role !== "user") given.push(message);
    else if (isTextOnly(message.parts)) given.push({ role: "user", parts: message.parts });
    else {
      // Only images take time: a long conversation is otherwise read at once.
      const at = given.push({ role: "user", parts: [] }) - 1;
      const parts = storeImages(message.parts, message.param, services);
      loading.push(parts.then((stored) => void (given[at] = { role: "user", parts: stored })));
    }
  }
  await Promise.all(loading);
  return given;
}
