import { promptText } from "../events/content.ts";
import type { TranscriptEntry } from "./transcript.ts";

/** A conversation as a document in Markdown. */
export const conversationMarkdown = (title: string, entries: readonly TranscriptEntry[]): string =>
  `# ${title}\n\n${entries
    .map(entryMarkdown)
    .filter((part) => part !== "")
    .join("\n\n")}\n`;

function entryMarkdown(entry: TranscriptEntry): string {
  switch (entry.role) {
    case "user":
      return `## You\n\n${promptText(entry.parts)}`;
    case "steer":
      return `## You, meanwhile\n\n${entry.text}`;
    case "assistant":
      return entry.text;
    case "tool":
      return `- \`${entry.name}\` ${entry.label.replaceAll("\n", " ")}: ${entry.outcome}`;
    case "summary":
      return `*The older part was summarized for the model here.*`;
    case "end":
      return `*The turn was ${ENDS[entry.outcome]}${entry.text === "" ? "" : `: ${entry.text}`}*`;
  }
}

const ENDS = { interrupted: "interrupted", cancelled: "stopped", failed: "ended by an error" } as const;
