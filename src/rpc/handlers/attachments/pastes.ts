import type { ArchivePort } from "../../ports.ts";

/** Makes the placeholder of a paste in a prompt. */
export const pastePlaceholder = (lines: number, path: string): string =>
  `[Pasted text: ${lines} lines → ${path}]`;

const PLACEHOLDER = /\[Pasted text: \d+ lines → ([^\]\n]+)\]/g;

/** Puts pastes back in their places; what only looks like a placeholder stays as it is. */
export async function expandPastes(text: string, archive: ArchivePort): Promise<string> {
  const found = [...text.matchAll(PLACEHOLDER)];
  if (found.length === 0) return text;
  let whole = "";
  let end = 0;
  for (const match of found) {
    const [placeholder, path = ""] = match;
    whole += text.slice(end, match.index) + ((await archive.loadPaste(path)) ?? placeholder);
    end = match.index + placeholder.length;
  }
  return whole + text.slice(end);
}
