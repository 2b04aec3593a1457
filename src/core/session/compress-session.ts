import { compressConversation, NOTHING_OLDER } from "../conversation/compress.ts";
import { loadConversation } from "../conversation/load-conversation.ts";
import { estimateTokens } from "../conversation/tokens.ts";
import { defined } from "../../shared/json/defined.ts";
import { modelChoice } from "../ports/persona.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { SessionActor } from "./session-actor.ts";

/**
 * The result of a compression; tokens are estimates of the replaced part and of its summary, messages those that the
 * model is sent.
 */
export type Compression = { readonly messagesBefore: number } & (
  | {
      readonly done: true;
      readonly messagesAfter: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** `told`: the log has a row that says so to who follows the session. */
  | { readonly done: false; readonly reason: string; readonly told?: true }
);

/**
 * Puts a summary in the place of the older part of a session.
 *
 * @throws HostError `session_busy` while a turn runs
 */
export async function compressSession(
  actor: SessionActor,
  options: { readonly focus?: string; readonly signal: AbortSignal },
): Promise<Compression> {
  const { log, writer, services } = actor;
  const state = await actor.refresh();
  if (state.turn !== undefined)
    throw new HostError("session_busy", "session busy: interrupt the turn, then compress.");
  const model = services.models().resolve(modelChoice(state));
  const conversation = await loadConversation(log);
  const history = conversation.history();
  const messagesBefore = history.length;
  const keep = Math.min(model.contextLength, estimateTokens(history)) / 4;
  const event = await compressConversation(
    { writer, services, model, signal: options.signal },
    { keep, automatic: false, ...defined({ focus: options.focus }) },
  );
  // Who asked hears it from the answer: nothing happened that others would want to know.
  if (event.type === "history.compress_failed" && event.reason === NOTHING_OLDER)
    return { messagesBefore, done: false, reason: event.reason };
  const { applied } = await actor.run("compressed", { event });
  if (event.type === "history.compress_failed")
    return { messagesBefore, done: false, reason: event.reason, told: true };
  if (!applied) return { messagesBefore, done: false, reason: "The conversation changed meanwhile." };
  const messagesAfter = (await loadConversation(log)).history().length;
  const { tokensBefore, tokensAfter } = event;
  return { messagesBefore, done: true, messagesAfter, tokensBefore, tokensAfter };
}
