import { createHash } from "node:crypto";
import { type Host, newSessionId, type Services } from "../../../core/index.ts";
import { toHostError } from "../../../shared/errors/host-error.ts";
import type { HttpContext } from "../../server/context.ts";
import { readSessionId } from "../../turns/session-id.ts";
import { STATELESS_MS } from "../../turns/stateless-sweeper.ts";
import type { ChatConversation } from "./request.ts";

/** The session of a chat completion. */
export interface ChatSession {
  readonly sessionId: string;
  /** The answer's `X-Agent-Session-Id`: the session as the client named it, or the label of a stateless call. */
  readonly shown: string;
  readonly kind: "stateless" | "new" | "known";
}

const SPACE = "http.labels";

/**
 * Finds the session of a chat completion: the one that the client names, by its id or by the label of its newest
 * stateless call; else a session of its own, with a label that follows from the beginning of the conversation.
 *
 * @throws HttpError 400
 */
export async function findChatSession(
  c: HttpContext,
  host: Host,
  conversation: ChatConversation,
): Promise<ChatSession> {
  const { clock, hex, store } = host.services;
  const named = c.req.header("x-agent-session-id")?.trim() ?? "";
  if (named === "")
    return { sessionId: newSessionId(clock.now(), hex), shown: labelOf(conversation), kind: "stateless" };
  readSessionId(named, "X-Agent-Session-Id");
  const labelled = await store.records.get(SPACE, named);
  const known = labelled?.value ?? named;
  if ((await host.record(known)) !== undefined) return { sessionId: known, shown: named, kind: "known" };
  return { sessionId: named, shown: named, kind: "new" };
}

/** Gives the label of a stateless conversation, which is the same for all its turns. */
function labelOf({ instructions = "", opening }: ChatConversation): string {
  return `api-${createHash("sha256").update(`${instructions}\n${opening}`).digest("hex").slice(0, 16)}`;
}

/** Remembers the newest session of a label. */
export function putLabel({ store, clock, report }: Services, { shown, sessionId }: ChatSession): void {
  const expiresAt = clock.now() + STATELESS_MS;
  store.records
    .put({ space: SPACE, key: shown, value: sessionId, expiresAt })
    .catch((thrown: unknown) => report(toHostError(thrown)));
}
