import { visibleInLine } from "../../shared/text/visible.ts";
import type { OpenRequest } from "../gateway.ts";

/** A way to answer: its words, and the key that takes it. */
export interface Choice {
  readonly id: string;
  readonly label: string;
}

/** The choice that opens a line to write in. */
export const OWN_WORDS = "\u0000own";

/** The answers to choose from, that for words of one's own among them; a question that wants words only has none. */
export function choicesOf(request: OpenRequest): readonly Choice[] {
  const offered = offeredChoices(request);
  return request.method === "clarify" && offered.length > 0
    ? [...offered, { id: OWN_WORDS, label: "Something else…" }]
    : offered;
}

/** The answers that a question itself offers. */
export function offeredChoices(request: OpenRequest): readonly Choice[] {
  switch (request.method) {
    case "approval": {
      const { choices, pattern_keys } = request.params;
      const scope = pattern_keys.length === 0 ? "" : `: ${pattern_keys.map(visibleInLine).join(", ")}`;
      const words = {
        once: "Allow once",
        session: `Allow for this session${scope}`,
        always: `Always allow${scope}`,
        deny: "Deny",
      };
      return choices.map((id) => ({ id, label: words[id] }));
    }
    case "clarify":
      return (request.params.choices ?? []).map((each) => ({ id: each, label: visibleInLine(each) }));
    case "sudo":
    case "secret":
      return [];
  }
}
