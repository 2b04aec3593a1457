import type { TurnEnd } from "./conversation-update.ts";

/** What to say of a turn that did not end as it should; nothing when it did, or was stopped on purpose. */
export function failureText({ outcome, error }: TurnEnd): string | undefined {
  switch (outcome) {
    case "completed":
    case "cancelled":
      return undefined;
    case "failed":
      return `The turn failed: ${error?.message ?? "the reason is not known"}`;
    case "interrupted":
      return "The turn was interrupted: the process that ran it ended.";
  }
}
