import { promptText, type TranscriptEntry } from "../../core/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";

const ENDS = { interrupted: "interrupted", cancelled: "stopped", failed: "failed" } as const;

/** An entry of a conversation as lines to read. */
export function entryText(entry: TranscriptEntry): string {
  switch (entry.role) {
    case "user":
      return `\n> ${forTerminal(promptText(entry.parts)).replaceAll("\n", "\n> ")}\n\n`;
    case "steer":
      return `\n> (added) ${forTerminal(entry.text)}\n\n`;
    case "assistant":
      return entry.text === "" ? "" : `${forTerminal(entry.text)}\n`;
    case "tool":
      return `* ${forTerminalLine(entry.label)}: ${entry.outcome}\n`;
    case "summary":
      return "(the older part was summarized for the model here)\n";
    case "end":
      return `(${ENDS[entry.outcome]}${entry.text === "" ? "" : `: ${forTerminalLine(entry.text)}`})\n`;
  }
}
