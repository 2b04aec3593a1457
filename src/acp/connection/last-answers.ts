import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { settledOrAborted } from "../../shared/async/deadline.ts";
import type { AnsweredRequests } from "./answered-requests.ts";

/** Milliseconds that a client's last requests have after its input has ended. */
const PATIENCE_MS = 1000;

/**
 * A client's messages, which end when the requests among them are answered, or a moment later: whoever writes all and
 * closes still reads. Prompts take longer than a moment, and whoever waits for one stays.
 *
 * @param until - nobody reads any more
 */
export async function* withLastAnswers(
  messages: AsyncIterable<AnyMessage>,
  { answers, until }: { readonly answers: AnsweredRequests; readonly until: AbortSignal },
): AsyncGenerator<AnyMessage, void> {
  const open = new Set<Promise<void>>();
  for await (const message of messages) {
    if ("method" in message && "id" in message && message.method !== "session/prompt") {
      const answered = answers.after(message.id);
      open.add(answered);
      void answered.then(() => open.delete(answered));
    }
    yield message;
  }
  if (open.size === 0) return;
  const over = AbortSignal.any([until, AbortSignal.timeout(PATIENCE_MS)]);
  await settledOrAborted(Promise.all(open), over);
}
