import { createHmac } from "node:crypto";
import { type Host, checkSessionId } from "../../core/index.ts";
import type { ApiContext } from "./api-context.ts";
import type { HttpContext } from "../server/context.ts";
import { badRequest, HttpError } from "../server/http-error.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";

const LONGEST = 256;

/** A stable name, chosen by a client, of the person that the agent works for. */
export interface SessionKey {
  /** As it is echoed. */
  readonly raw: string;
  /** As the host knows it: no API client can take the name of somebody on another surface. */
  readonly scope: string;
}

/** Reads the header `X-Agent-Session-Key`. @throws HttpError 400 */
export function readSessionKey(c: HttpContext, apiKey: string): SessionKey | undefined {
  const raw = c.req.header("x-agent-session-key")?.trim() ?? "";
  if (raw === "") return undefined;
  const param = "X-Agent-Session-Key";
  if (/[\r\n\0]/.test(raw)) throw badRequest("Invalid session key", param);
  if (raw.length > LONGEST) throw badRequest(`Session key too long: at most ${LONGEST} characters.`, param);
  const mac = createHmac("sha256", apiKey).update(raw).digest("hex");
  return { raw, scope: `api-server-${mac}` };
}

/** The memory that a key reaches, and whose work it is. */
export interface KeyedPerson {
  readonly memoryScope?: string;
  readonly person?: string;
}

/**
 * Finds the person that a key names. `user:<id>` of somebody on the roster reaches the memory that they have on every surface;
 * any other key has one of its own, which no name of another surface gets at.
 *
 * @throws HttpError 403 for a user who is disabled
 */
export async function personOfKey(
  key: SessionKey | undefined,
  { userOf }: Pick<ApiContext, "userOf">,
): Promise<KeyedPerson> {
  if (key === undefined) return {};
  const [, id] = /^user:(u_[0-9a-f]{12})$/.exec(key.raw) ?? [];
  const user = id === undefined ? undefined : await userOf?.(id);
  if (user === undefined) return { memoryScope: key.scope };
  if (user.isDisabled)
    throw new HttpError(403, `The user ${id} is disabled. An operator enables them again.`, {
      param: "X-Agent-Session-Key",
    });
  return { person: key.raw, ...defined({ memoryScope: user.memoryScope }) };
}

const SPACE = "http.session-keys";
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** Gives the newest session of a session key, if it exists and has not ended. */
export async function sessionOfKey(host: Host, { scope }: SessionKey): Promise<string | undefined> {
  const record = await host.services.store.records.get(SPACE, scope);
  if (record === undefined) return undefined;
  const session = await host.record(record.value);
  return session === undefined || session.state.endReason !== undefined ? undefined : session.id;
}

/** Remembers the session that was used last with a session key. */
export async function putSessionOfKey(
  { services }: Host,
  { scope }: SessionKey,
  sessionId: string,
): Promise<void> {
  const expiresAt = services.clock.now() + KEPT_MS;
  await services.store.records.put({ space: SPACE, key: scope, value: sessionId, expiresAt });
}

/** Reads the id of a session that a client chose. @throws HttpError 400 naming the field or header */
export function readSessionId(id: string, param: string, code?: string): string {
  try {
    return checkSessionId(id.trim());
  } catch (cause) {
    throw new HttpError(400, toHostError(cause).message, { param, cause, ...defined({ code }) });
  }
}
