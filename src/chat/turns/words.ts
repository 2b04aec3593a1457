import { LONGEST_MESSAGE } from "../inbox/kept-message.ts";
import { cutAnswer } from "../../core/index.ts";
import type { ErrorCode, ErrorRecord } from "../../shared/errors/host-error.ts";
import type { EndedTurn } from "./follow-prompt.ts";

/** What the sender of a message that is too long is told. */
export const tooLongWords = (length: number): string =>
  `Your message has ${length} characters; at most ${LONGEST_MESSAGE} are read. Send it in parts, or as a file.`;

/** What a stranger is told. */
export const pairingWords = (code: string): string =>
  `I do not know you yet. To let you in, my operator runs: agent pair ${code} (within the hour).`;

/** Why there is no answer, or no whole one, for the one who asked. */
export function failureWords(
  end: Pick<EndedTurn, "outcome" | "finish" | "error" | "reason">,
  id: string,
): string {
  const again = `Ask again, or have the operator run: agent chat replay ${id}`;
  switch (end.outcome) {
    case "completed":
      return cutAnswer(end.finish) ?? "";
    case "cancelled":
      return end.reason ?? "Stopped.";
    case "interrupted":
      return `I was interrupted before I was done: ${end.reason ?? "the agent was restarted"}. ${again}`;
    case "failed":
      return `I could not answer. ${errorWords(end.error)} ${again}`;
  }
}

/** Errors that only the operator can do something about; what they say of keys, files and settings is for nobody else. */
const FOR_OPERATOR: ReadonlySet<string> = new Set<ErrorCode>([
  "internal",
  "config_invalid",
  "unauthorized",
  "model_not_configured",
  "provider_auth",
  "provider_bad_request",
  "provider_not_found",
  "provider_quota",
]);

/** Whether an error is for the operator, and not for people in a chat. */
export const isForOperator = ({ code }: Pick<ErrorRecord, "code">): boolean =>
  FOR_OPERATOR.has(code) || code.startsWith("store_");

/** An error, for people in a chat: what it says about the inside of the agent is for the operator. */
export function errorWords(error: ErrorRecord | undefined): string {
  if (error === undefined) return "No reason is known.";
  return isForOperator(error)
    ? "Something is wrong with the agent itself; its operator is told and has to look."
    : error.message;
}

/** Lines that are no part of an answer, as they stand above it. */
export const inBrackets = (lines: readonly string[]): string => lines.map((line) => `(${line})`).join("\n\n");

/** What stands below an answer that was cut short. */
export const cutWords = (said: string, why: string): string =>
  said.trim() === "" ? why : `${said}\n\n${why}`;
