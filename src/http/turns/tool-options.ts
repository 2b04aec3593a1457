import { defined } from "../../shared/json/defined.ts";
import type { HttpContext } from "../server/context.ts";
import { badRequest } from "../server/http-error.ts";

/** The ending of a model's name that asks for a turn without tools. */
const CHAT = ":chat";

/** Reads the ending `:chat` of a model's name. @param isModel - whether a model has the whole name */
export function readChatSuffix(
  name: string,
  isModel: (name: string) => boolean,
): { readonly name: string; readonly tools?: "none" } {
  if (!name.endsWith(CHAT) || isModel(name)) return { name };
  return { name: name.slice(0, -CHAT.length), tools: "none" };
}

/** Reads the header `X-Agent-Tools`. @throws HttpError 400 */
export function readToolsHeader(c: HttpContext): { readonly tools?: "none" } {
  const given = c.req.header("x-agent-tools")?.trim().toLowerCase() ?? "";
  if (given !== "" && given !== "none" && given !== "auto")
    throw badRequest("X-Agent-Tools must be none or auto.", "X-Agent-Tools");
  return defined({ tools: given === "none" ? given : undefined });
}
