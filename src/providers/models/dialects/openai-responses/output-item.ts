import { isJsonObject } from "../../../../shared/json/json.ts";

type Json = Readonly<Record<string, unknown>>;

function piecesOf(list: unknown, key: string): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list
    .filter(isJsonObject)
    .map((piece) => piece[key])
    .filter((text) => typeof text === "string");
}

/** The text of a message item, refusals included. */
export const textIn = ({ content }: Json): string =>
  [...piecesOf(content, "text"), ...piecesOf(content, "refusal")].join("");

export const refusalIn = ({ content }: Json): boolean => piecesOf(content, "refusal").length > 0;

/** The readable part of a reasoning item: the reasoning itself where it is given, else its summary. */
export function reasoningText({ content, summary }: Json): string {
  const whole = piecesOf(content, "text").join("");
  return whole === "" ? piecesOf(summary, "text").join("\n\n") : whole;
}

/**
 * Gives the part of a reasoning item that goes back to its endpoint. An encrypted item needs no id, which an endpoint
 * that stores nothing would look for in vain. A readable item, as open models give it, goes back whole. An item with
 * neither is the name of something that is stored nowhere, so nothing of it goes back.
 */
export function keptReasoning(item: Json): Json | undefined {
  const { summary, content, encrypted_content: encrypted, id } = item;
  const base = { type: "reasoning", summary: Array.isArray(summary) ? summary : [] };
  if (typeof encrypted === "string" && encrypted !== "") return { ...base, encrypted_content: encrypted };
  if (piecesOf(content, "text").join("") === "") return undefined;
  return { ...base, ...(typeof id === "string" && { id }), content };
}
