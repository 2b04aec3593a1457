import type { Compression } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { modelOf, sessionInfo } from "../encode/session-info.ts";
import { encodeSessionUsage } from "../encode/usage.ts";
import { newestMessages } from "../gateway/attach.ts";
import type { Params, Result } from "../protocol/methods.ts";
import type { HandlerContext } from "./handler.ts";

const MOST_MESSAGES = 1000;
const FEW = 4;

/** `session.compress`: a call to the model, and a row that says from now on what the past was. */
export async function compressSession(
  { session_id, focus_topic }: Params<"session.compress">,
  { gateway, connection, signal }: HandlerContext,
): Promise<Result<"session.compress">> {
  const session = await gateway.session(session_id);
  const before = await session.refresh();
  const say = (kind: string, text: string): Promise<void> => {
    return connection.send({ type: "status.update", payload: { kind, text } }, { session: session.id });
  };
  const long = before.counts.messages >= FEW && before.turn === undefined;
  if (long) await say("compressing", "Summarizing the conversation so far");
  let done: Compression | undefined;
  try {
    done = await session.compress({ signal, ...defined({ focus: focus_topic }) });
  } finally {
    // A compression that was done is told of by an event of the session.
    if (long && done?.done !== true) await say("status", "ready");
  }
  const { messages } = await newestMessages(gateway, session, { limit: MOST_MESSAGES });
  const { state } = session;
  const removed = done.done ? Math.max(0, before.counts.messages - 1) : 0;
  return {
    status: done.done ? "compressed" : "aborted",
    removed,
    before_messages: before.counts.messages,
    after_messages: before.counts.messages - removed,
    before_tokens: done.done ? done.tokensBefore : before.contextTokens,
    after_tokens: done.done ? done.tokensAfter : before.contextTokens,
    summary: summaryOf(done),
    usage: encodeSessionUsage(state, modelOf(gateway, state).model),
    info: await sessionInfo(gateway, session),
    messages,
  };
}

function summaryOf(done: Compression): Result<"session.compress">["summary"] {
  const base = { noop: !done.done, aborted: false, fallback_used: false };
  if (!done.done) return { ...base, headline: "Not compressed", token_line: "", note: done.reason };
  return {
    ...base,
    headline: "Compressed the older part of the conversation; nothing was deleted",
    token_line: `about ${done.tokensBefore} tokens became ${done.tokensAfter}`,
    note: null,
  };
}
