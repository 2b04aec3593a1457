import { createHmac } from "node:crypto";
import type { HttpContext } from "../server/context.ts";
import { HttpError } from "../server/http-error.ts";

const LONGEST = 256;

/** A stable name for whoever the agent works for, as a client chose it. */
export interface SessionKey {
  /** As it is echoed. */
  readonly raw: string;
  /** As the host knows it: no API client can take the name of somebody on another surface. */
  readonly scope: string;
}

/** @throws HttpError 400 */
export function readSessionKey(c: HttpContext, apiKey: string): SessionKey | undefined {
  const raw = c.req.header("x-agent-session-key")?.trim() ?? "";
  if (raw === "") return undefined;
  const param = "X-Agent-Session-Key";
  if (/[\r\n\0]/.test(raw)) throw new HttpError(400, "Invalid session key", { param });
  if (raw.length > LONGEST)
    throw new HttpError(400, `Session key too long: at most ${LONGEST} characters.`, { param });
  const mac = createHmac("sha256", apiKey).update(raw).digest("hex");
  return { raw, scope: `api-server-${mac}` };
}
