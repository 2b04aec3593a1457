import { isJsonObject } from "../../shared/json/json.ts";

const LONGEST_TEXT = 2000;
const MOST_ENTRIES = 50;
const DEEPEST = 6;

/** Makes a tool's input small enough to be sent with every call. A file's whole text is in the diff already. */
export function boundedInput(value: unknown, depth = 1): unknown {
  if (typeof value === "string") return boundedText(value);
  if (Array.isArray(value)) {
    if (depth > DEEPEST) return `[${value.length} entries]`;
    const shown = value.slice(0, MOST_ENTRIES).map((entry) => boundedInput(entry, depth + 1));
    return value.length > MOST_ENTRIES ? [...shown, `… ${value.length - MOST_ENTRIES} more`] : shown;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  if (depth > DEEPEST) return `{${entries.length} members}`;
  const shown = entries
    .slice(0, MOST_ENTRIES)
    .map(([key, part]) => [boundedText(key), boundedInput(part, depth + 1)] as const);
  return Object.fromEntries(shown);
}

function boundedText(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT).toWellFormed()}… [${text.length - LONGEST_TEXT} more characters]`;
}
