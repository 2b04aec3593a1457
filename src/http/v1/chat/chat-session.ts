import { createHash } from "node:crypto";
import { type Services, checkSessionId, newSessionId } from "../../../core/index.ts";
import { toHostError } from "../../../shared/errors/host-error.ts";
import type { HttpContext } from "../../server/context.ts";
import { HttpError } from "../../server/http-error.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { STATELESS_MS } from "../../turns/stateless-sweeper.ts";
import type { Receipt } from "../../turns/idempotency.ts";
import type { ChatConversation } from "./request.ts";

/** A chat completion that was begun: all frames of its answer begin with this. */
export interface ChatReceipt extends Receipt {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  /** What the answer's `X-Agent-Session-Id` says. */
  readonly session: string;
}

/** The session that a call goes on with, or the label of its own. */
export interface ChatSession {
  readonly sessionId: string;
  readonly shown: string;
  readonly kind: "stateless" | "new" | "known";
}

const SPACE = "http.labels";

/**
 * Where a chat completion takes place: a session of its own with a label that follows from how the conversation began,
 * or the session that the client names; a label names the newest session of that label.
 *
 * @throws HttpError 400
 */
export async function placeOf(
  c: HttpContext,
  { host }: ApiContext,
  conversation: ChatConversation,
): Promise<ChatSession> {
  const { clock, hex, store } = host.services;
  const named = c.req.header("x-agent-session-id")?.trim() ?? "";
  if (named === "")
    return { sessionId: newSessionId(clock.now(), hex), shown: labelOf(conversation), kind: "stateless" };
  checkNamed(named);
  const labelled = await store.records.get(SPACE, named);
  const known = labelled?.value ?? named;
  if ((await host.record(known)) !== undefined) return { sessionId: known, shown: named, kind: "known" };
  return { sessionId: named, shown: named, kind: "new" };
}

function checkNamed(id: string): void {
  try {
    checkSessionId(id);
  } catch (thrown) {
    throw new HttpError(400, toHostError(thrown).message, { param: "X-Agent-Session-Id", cause: thrown });
  }
}

/** The same for all turns of one stateless conversation. */
function labelOf({ instructions = "", opening }: ChatConversation): string {
  return `api-${createHash("sha256").update(`${instructions}\n${opening}`).digest("hex").slice(0, 16)}`;
}

/** Remembers the newest session of a label. */
export function putLabel({ store, clock, report }: Services, label: string, sessionId: string): void {
  const expiresAt = clock.now() + STATELESS_MS;
  store.records
    .put({ space: SPACE, key: label, value: sessionId, expiresAt })
    .catch((thrown: unknown) => report(toHostError(thrown)));
}
