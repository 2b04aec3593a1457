import type { Attached, TranscriptMessage } from "../gateway.ts";
import { type Entry, interruptedEntries, note } from "./entry.ts";

/** Of a conversation that goes on, so much of its end is printed. */
export const SHOWN_MESSAGES = 30;

/** The newest answer of a conversation. */
export const newestAnswer = ({ messages }: Pick<Attached, "messages">): string | undefined =>
  messages.findLast(({ role, text = "" }) => role === "assistant" && text !== "")?.text;

/** The end of a conversation; what is before it is counted. */
export function history({ messages, before }: Pick<Attached, "messages" | "before">): readonly Entry[] {
  const shown = messages.slice(-SHOWN_MESSAGES);
  const hidden = messages.length - shown.length;
  const more = before === undefined ? "" : " and more";
  const earlier: readonly Entry[] =
    hidden > 0 || before !== undefined
      ? [note("info", `${hidden}${more} earlier messages: /history shows them.`)]
      : [];
  return [...earlier, ...shown.flatMap(messageEntries)];
}

function messageEntries(message: TranscriptMessage): readonly Entry[] {
  const { role, text = "", name = "", context = "", outcome = "ok", row_id, images = 0 } = message;
  switch (role) {
    case "user":
      return message.display_kind === "steer"
        ? [{ kind: "steer", text }]
        : [{ kind: "user", text, images, from: "" }];
    case "assistant":
      return text === "" ? [] : [{ kind: "answer", text, continues: false }];
    case "system":
      if (message.display_kind === "interrupted") return interruptedEntries(text);
      if (message.display_kind === "cancelled") return [{ kind: "turn", outcome: "interrupted", text }];
      if (message.display_kind === "failed") return [note("error", text)];
      return [note("info", "The conversation before was summarized for the model.")];
    case "tool": {
      // What was done is known by its title; what went wrong is not.
      const output = outcome === "ok" ? "" : (message.result_text ?? "");
      const [summary = ""] = output.trim().split("\n", 1);
      const end = { outcome, seconds: 0, summary, output };
      const label = context === "" ? name : context;
      return [
        { kind: "tool", card: { id: `${row_id}`, name, label, startedAt: 0, preview: "", diff: "", end } },
      ];
    }
  }
}
