import type { DurableEvent } from "../events/events.ts";
import type { Policy } from "../ports/policy.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { cleanTitle } from "../../shared/text/clean-title.ts";
import type { SessionState } from "../state/state.ts";

const LONGEST_TITLE = 100;
const AUTO_TITLE = 60;

/** Names a session after its first prompt once its first turn is over; nothing when it has a name or is in no list. */
export function autoTitle({ title, preview, hidden }: SessionState, policy: Policy): readonly DurableEvent[] {
  if (!policy.autoTitle || title !== "" || preview === "" || hidden) return [];
  return [{ type: "title.set", title: shortened(preview), by: "auto" }];
}

/** The first words, cut at a space, without what a title cannot show. */
function shortened(text: string): string {
  const clean = cleanTitle(text);
  if (clean.length <= AUTO_TITLE) return clean;
  // Cleaned again: it may end within a picture.
  const cut = cleanTitle(clean.slice(0, AUTO_TITLE).replace(/[\uD800-\uDBFF]$/, ""));
  const space = cut.lastIndexOf(" ");
  return `${space > AUTO_TITLE / 2 ? cut.slice(0, space) : cut}…`;
}

/**
 * A title that somebody chose, trimmed and without control or invisible characters.
 *
 * @throws HostError `invalid_title` when nothing is left, or more than 100 characters
 */
export function checkTitle(text: string): string {
  const title = cleanTitle(text);
  if (title === "") throw new HostError("invalid_title", "A title must not be empty.");
  if (title.length > LONGEST_TITLE) {
    throw new HostError(
      "invalid_title",
      `The title has ${title.length} characters, at most ${LONGEST_TITLE} are allowed.`,
    );
  }
  return title;
}
