import { compressConversation, NOTHING_OLDER } from "../conversation/compress.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { LogWriter } from "../log/log-writer.ts";
import type { Model } from "../ports/model.ts";
import type { ModelMessage } from "../ports/model-message.ts";
import { estimateTokens } from "../conversation/tokens.ts";
import type { TurnContext, TurnStep } from "./turn-context.ts";

/** Failed attempts in a row after which the turn tries no more. */
const FAILURES = 2;
/** The share of the context window that stays word for word. */
const KEPT_SHARE = 0.25;

/**
 * Compresses the past when the next request would not fit, or nearly not.
 *
 * @throws HostError `context_exhausted` when the newest exchange alone does not fit, or all does not after two attempts
 *   in a row that did not help
 */
export async function* compressIfNeeded(
  turn: TurnContext,
  { overflowed }: { readonly overflowed: boolean },
): AsyncGenerator<TurnStep, void> {
  const { writer, services, signal } = turn;
  const { enabled, at } = services.policy().compression;
  for (;;) {
    const model = turn.model.current();
    const conversation = await turn.conversation();
    const tokens = requestTokens(writer, conversation.messages());
    if (!overflowed && (!enabled || tokens <= model.contextLength * at)) return;
    if (writer.plannedState.compressFailures >= FAILURES) {
      // A summary that cannot be had is no reason to refuse what still fits.
      if (!overflowed && tokens <= model.contextLength) return;
      throw exhausted(tokens, model);
    }
    await turn.show({
      type: "status.update",
      kind: "compacting",
      text: "Summarizing the conversation so far",
    });
    const target = Math.min(model.contextLength, tokens) * KEPT_SHARE;
    const event = await compressConversation(
      { writer, services, model, signal },
      { keep: target, automatic: true },
    );
    if (event.type === "history.compress_failed" && event.reason === NOTHING_OLDER) {
      if (!overflowed && tokens <= model.contextLength) return;
      throw tooLong(tokens, model);
    }
    yield [event];
    if (event.type === "history.compress") return;
  }
}

/** Estimates the tokens of the next request: the provider's last count, and an estimate of what came since. */
function requestTokens({ plannedState }: LogWriter, messages: readonly ModelMessage[]): number {
  if (plannedState.contextTokens === 0) return estimateTokens(messages);
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant");
  return plannedState.contextTokens + estimateTokens(messages.slice(lastReply + 1));
}

/** The error of a newest exchange that is too long by itself: no summary may shorten it. */
function tooLong(tokens: number, model: Model): HostError {
  return new HostError(
    "context_exhausted",
    `The newest exchange alone has about ${tokens} tokens, and ${model.name} takes ${model.contextLength}. Send less at once, name files instead of their text, or choose a model with a larger context.`,
  );
}

function exhausted(tokens: number, model: Model): HostError {
  return new HostError(
    "context_exhausted",
    `The conversation has about ${tokens} tokens, ${model.name} takes ${model.contextLength}, and summarizing it failed ${FAILURES} times. Undo some turns, start a new session, or choose a model with a larger context.`,
  );
}
