import { isJsonObject } from "../../../shared/json/json.ts";

const LONGEST = 300;

/**
 * Gives the text of an endpoint's error, fit for a message: one line of at most 300 characters, none a control character.
 *
 * @param secrets - texts that an endpoint may repeat and a message must not
 */
export function errorText(body: string, secrets: readonly string[]): string {
  let text = /^\s*</.test(body) ? pageTitle(body) : messageIn(parsed(body));
  for (const secret of secrets) if (secret !== "") text = text.replaceAll(secret, "[secret]");
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // No JSON: the text itself is the message.
    return body;
  }
}

function pageTitle(page: string): string {
  const title = /<title[^<>]{0,500}>([^<]*)/i.exec(page)?.[1]?.trim() ?? "";
  return title === "" ? "a web page" : `a web page titled ${title}`;
}

/** The words for people in an error of any of the usual shapes. */
export function messageIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return messageIn(value[0]);
  if (!isJsonObject(value)) return "";
  for (const key of ["error", "message", "detail", "errors", "error_description", "msg", "title"]) {
    const message = messageIn(value[key]);
    if (message !== "") return withUpstream(message, value["metadata"]);
  }
  return "";
}

/** Routers put what the real endpoint said beside their own words. */
function withUpstream(message: string, metadata: unknown): string {
  const raw = isJsonObject(metadata) ? metadata["raw"] : undefined;
  return typeof raw === "string" && raw !== "" ? `${message}: ${messageIn(parsed(raw)) || raw}` : message;
}
