import { decodeRow, promptText, type SessionRecord, type Store, transcript } from "../../core/index.ts";

/** Rows that are looked through for the newest message: an answer is the last but one or two. */
const ROWS = 24;
const LONGEST = 140;

/** The beginning of what was said last in a session, in one line; empty where that is long ago. */
export async function newestMessage(
  store: Pick<Store, "readBefore">,
  { id, state }: Pick<SessionRecord, "id" | "state">,
): Promise<string> {
  const rows = (await store.readBefore(id, state.seq + 1, ROWS)).map(decodeRow);
  for (const entry of transcript(rows, state).toReversed()) {
    if (entry.role === "user") return oneLine(promptText(entry.prompt.parts) || "A picture");
    if ((entry.role === "assistant" || entry.role === "steer") && entry.text.trim() !== "")
      return oneLine(entry.text);
  }
  return "";
}

/** Without the marks of Markdown, as far as they stand in the way. */
const oneLine = (text: string): string =>
  text
    .slice(0, LONGEST * 3)
    .replaceAll(/[*_`#>|]+|:?-{3,}:?/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST)
    .toWellFormed();
