import { findInvisible, findThreat } from "../../shared/text/text-threats.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/**
 * Looks through a scheduled prompt: nobody watches when it runs.
 *
 * @throws HostError `invalid_params` for a prompt that matches a pattern of threats, naming the pattern
 */
export function scanPrompt(prompt: string): void {
  const invisible = findInvisible(prompt);
  if (invisible !== undefined) {
    const { code, index } = invisible;
    throw blocked(`prompt contains invisible unicode ${code} at character ${index + 1}. Remove it.`);
  }
  const id = findThreat(prompt);
  if (id !== undefined) {
    throw blocked(
      `prompt matches threat pattern '${id}'. A job runs unwatched: say it in other words, or leave it out.`,
    );
  }
}

const blocked = (why: string): HostError =>
  new HostError("invalid_params", `Blocked: ${why}`, { details: { subject: "prompt" } });
