import { findPrompt, promptText, type Session, type UserPart } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { seqAt } from "../gateway/event-numbers.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { Result } from "../protocol/methods.ts";

/** The words of the protocol for the state of a prompt. */
export const PROMPT_STATUS = { started: "streaming", queued: "queued", steered: "steered" } as const;

/**
 * Looks whether a session has taken a prompt already, for a client that sends it again because the answer was lost; gives
 * the answer to it then.
 *
 * @throws HostError `invalid_params` when it was another text, or was taken back
 */
export async function takenBefore(
  { host: { services } }: GatewayContext,
  session: Session,
  { ref, typed }: { readonly ref: string | undefined; readonly typed: readonly UserPart[] },
): Promise<Result<"prompt.submit"> | undefined> {
  if (ref === undefined) return undefined;
  const found = await findPrompt(services.store, { id: session.id, state: await session.refresh() }, ref);
  if (found === undefined) return undefined;
  const { status, parts, after, position } = found;
  if (status === "dropped") throw wrongRef("The prompt with this submission_ref was taken back");
  // The log has it without secrets.
  const shown = (words: readonly UserPart[]): string =>
    services.redactor().hideInJson(JSON.stringify(promptText(words).toWellFormed()));
  if (shown(parts) !== shown(typed)) throw wrongRef("This submission_ref was used for another text");
  return { status: PROMPT_STATUS[status], prompt_id: ref, position, seq: seqAt(after) };
}

const wrongRef = (what: string): HostError =>
  new HostError("invalid_params", `${what}; use a new one for each prompt.`, {
    details: { subject: "submission_ref" },
  });
