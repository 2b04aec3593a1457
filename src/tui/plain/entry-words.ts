import { counted } from "../../shared/text/counted.ts";
import { withoutSkills } from "../text/skill-words.ts";
import type { Entry, ToolCard } from "../state/entry.ts";
import { forTerminal, forTerminalLine } from "../terminal/terminal-text.ts";
import { duration } from "../text/figures.ts";

/** Characters of a result that are read out; the session's log has all. */
const SHOWN_RESULT = 200;

/** A finished entry as lines to read, without anything that only looks good; empty when it says nothing of its own. */
export function entryWords(entry: Entry): string {
  switch (entry.kind) {
    // What is used, and how to leave, is said by the client itself.
    case "greeting":
    case "takenBack":
      return "";
    case "user":
      return userWords(entry);
    case "steer":
      return `(added: ${forTerminalLine(entry.text)})`;
    case "answer":
      return forTerminal(entry.text).replace(/^\n+/, "").trimEnd();
    case "code":
      return forTerminal(entry.text);
    case "thinking":
      return `(thought for ${duration(entry.seconds)})`;
    case "tool":
      return `  ${outcomeWords(entry.card)}`;
    case "shell":
      return shellWords(entry);
    case "answered":
      return `(${forTerminalLine(entry.answer)})`;
    case "note":
      return `${entry.tone === "warn" || entry.tone === "error" ? "! " : ""}${forTerminal(entry.text).trim()}`;
    case "turn":
      return entry.outcome === "interrupted" ? `(interrupted · ${entry.text})` : "";
  }
}

function outcomeWords({ end }: ToolCard): string {
  if (end === undefined) return "";
  const time = end.seconds >= 1 ? ` (${duration(end.seconds)})` : "";
  const words = forTerminalLine(end.summary.trim()).slice(0, SHOWN_RESULT);
  if (end.outcome === "ok") return `${words === "" ? "done" : words}${time}`;
  return `${end.outcome}: ${words}${time}`;
}

function userWords({ text, images, from }: Extract<Entry, { kind: "user" }>): string {
  const beside = [
    ...(images === 0 ? [] : [`(${counted(images, "image")})`]),
    ...(from === "" ? [] : [`(from ${forTerminalLine(from)})`]),
  ];
  return [forTerminal(withoutSkills(text)), ...beside].join(" ").replaceAll(/^/gm, "> ");
}

function shellWords({ command, output, code }: Extract<Entry, { kind: "shell" }>): string {
  const end = code === 0 ? [] : [`(exit code ${code})`];
  const said = forTerminal(output).trimEnd();
  return [`! ${forTerminalLine(command)}`, ...(said === "" ? [] : [said]), ...end].join("\n");
}
