import { defined } from "../../../shared/json/defined.ts";
import { z } from "zod";
import { isJsonObject } from "../../../shared/json/json.ts";
import { countOf, decode } from "../../server/decode.ts";
import type { HttpContext } from "../../server/context.ts";
import { badRequest } from "../../server/http-error.ts";
import { readMessageContent, hasContent } from "../../turns/message-content.ts";
import { readSessionId } from "../../turns/session-key.ts";
import type { MessagePage } from "./messages.ts";

const text = z.string().nullish();
const PERSONA_META = { description: "Name of the persona that answers; `none` for none." };
const MODE_META = { description: "ask, edits, plan or all: what runs without asking." };

/** The body of `POST /api/sessions`. */
export const SessionCreate = z
  .looseObject({
    id: text,
    session_id: text,
    title: text,
    system_prompt: z.unknown().optional(),
    source: text,
    model: text,
    provider: text,
    mode: text.meta(MODE_META),
    persona: text.meta(PERSONA_META),
  })
  .meta({ title: "SessionCreate" });

/** The body of `POST /api/sessions/{session_id}/fork`. */
export const SessionFork = z
  .looseObject({
    id: text,
    session_id: text,
    title: text,
    source: text,
    before: z
      .unknown()
      .optional()
      .meta({ description: "The copy ends before this turn, by number or id; whole by default." }),
  })
  .meta({ title: "SessionFork" });

/** The body of `POST /api/sessions/{session_id}/chat` and of `…/chat/stream`. */
export const SessionChat = z
  .looseObject({
    message: z.unknown().optional(),
    input: z.unknown().optional().meta({ description: "Text or parts; `message` is the same." }),
    instructions: z.unknown().optional(),
    system_message: z.unknown().optional(),
    model: text,
    provider: text,
    model_options: z.looseObject({}).nullish(),
    mode: text.meta(MODE_META),
    persona: text.meta(PERSONA_META),
  })
  .meta({ title: "SessionChat" });

/** The id that a client chose, if it did. @throws HttpError 400 `invalid_session_id` */
export function chosenId(body: Pick<z.output<typeof SessionFork>, "id" | "session_id">): string | undefined {
  const given = body.id ?? body.session_id ?? undefined;
  if (given === undefined || given.trim() === "") return undefined;
  return readSessionId(given, "id", "invalid_session_id");
}

const LONGEST_SOURCE = 64;
const LONGEST_REASON = 200;

/** Whether text can stand in a list of sessions; control characters would reach terminals that show it. */
const isShown = (text: string, longest: number): boolean => text.length <= longest && !/\p{C}/u.test(text);

/** Reads the name of what made a session, which lists can be filtered by. @throws HttpError 400 `invalid_source` */
export function readSource(given: string | null | undefined): string {
  const source = given?.trim() ?? "";
  if (source === "") return "api_server";
  if (isShown(source, LONGEST_SOURCE)) return source;
  const message = `'source' must be a name of at most ${LONGEST_SOURCE} characters.`;
  throw badRequest(message, "source", "invalid_source");
}

const isReason = (text: string | null): text is string =>
  text !== null && text.trim() !== "" && isShown(text, LONGEST_REASON);

/** The body of `PATCH /api/sessions/{session_id}`. */
export const SessionPatchBody = z
  .looseObject({
    title: z.string().nullish(),
    end_reason: z.string().nullish(),
    mode: text.meta(MODE_META),
    persona: text.meta({ description: "Name of the persona that answers; null for that of the server." }),
  })
  .meta({ title: "SessionPatch" });

const PATCHABLE = new Set(["title", "end_reason", "mode", "persona"]);

/**
 * The changes of a session; an empty title takes it away.
 *
 * @throws HttpError 400 `unsupported_session_field`; then nothing is changed
 */
export function readPatch(body: Readonly<Record<string, unknown>>) {
  const unknown = Object.keys(body).find((key) => !PATCHABLE.has(key));
  if (unknown !== undefined)
    throw badRequest(
      `'${unknown}' of a session cannot be changed; title, end_reason, mode and persona can.`,
      unknown,
      "unsupported_session_field",
    );
  const { title, end_reason: endReason, mode, persona } = decode(SessionPatchBody, body);
  if (endReason !== undefined && !isReason(endReason))
    throw badRequest(
      `'end_reason' must be a line of at most ${LONGEST_REASON} characters.`,
      "end_reason",
      "invalid_session_field",
    );
  return defined({ title: title === null ? "" : title, endReason, mode: mode ?? undefined, persona });
}

/** Decodes the input of a turn in a session. @throws HttpError 400 */
export function readChat(given: unknown) {
  const body = decode(SessionChat, given);
  const message = body.message ?? body.input;
  const isContent = typeof message === "string" || Array.isArray(message) || isJsonObject(message);
  const parts = isContent ? readMessageContent(message, "message") : [];
  if (!hasContent(parts))
    throw badRequest("Missing 'message' (or 'input'): text or parts.", "message", "missing_message");
  const instructions = readOptionalText(body.system_message ?? body.instructions, "system_message");
  return { body, parts, instructions };
}

/** @throws HttpError 400 `invalid_<name>` */
export function readOptionalText(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw badRequest(`'${name}' must be text.`, name, `invalid_${name}`);
}

const MOST_MESSAGES = 500;

/** @throws HttpError 400 `invalid_pagination` */
export function readMessagePage(c: HttpContext): MessagePage {
  const number = (name: string): number | undefined => {
    const given = c.req.query(name);
    if (given === undefined) return undefined;
    if (/^\d{1,9}$/.test(given.trim())) return Number(given);
    throw badRequest(`'${name}' must be a whole number.`, name, "invalid_pagination");
  };
  const limit = number("limit");
  if (limit === 0 || (limit ?? 1) > MOST_MESSAGES)
    throw badRequest(`'limit' must be 1 to ${MOST_MESSAGES}.`, "limit", "invalid_pagination");
  const order = c.req.query("order") ?? (limit === undefined ? "latest" : "oldest");
  if (order !== "oldest" && order !== "latest")
    throw badRequest("'order' must be oldest or latest.", "order", "invalid_pagination");
  return { limit: limit ?? MOST_MESSAGES, offset: number("offset") ?? 0, order };
}

export const readListPage = (c: HttpContext) => ({
  limit: Math.max(1, countOf(c.req.query("limit"), { otherwise: 50, most: 200 })),
  offset: countOf(c.req.query("offset"), { otherwise: 0, most: 1_000_000 }),
});
