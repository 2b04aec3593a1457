import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../shared/files/make-folder.ts";
import type { Written } from "../../tui/input/written.ts";
import { WRITTEN, jsonOf } from "./written-json.ts";
import type { DraftStore } from "../../tui/draft-store.ts";

/** Entries that are read again; older ones are dropped when the file is twice as long. */
const MOST_ENTRIES = 1000;
/** Characters of these entries together, with what was pasted; the newest is read however long it is. */
const MOST_CHARACTERS = 8_000_000;

/** Keeps what a person sent in a file of the home, for its owner's eyes only. */
export function homeHistory(home: string): Pick<DraftStore, "history" | "remember"> {
  const folder = join(home, "tui");
  const file = join(folder, "history.jsonl");
  const options = { mode: 0o600 };
  return {
    async history() {
      const content = await text(file);
      const lines = content.split("\n").filter((line) => line !== "");
      const kept = newestOf(lines);
      if (lines.length > MOST_ENTRIES * 2 || content.length > MOST_CHARACTERS * 2)
        await unlessFull(writeFile(file, kept.map((line) => `${line}\n`).join(""), options));
      return kept.flatMap(entryOf);
    },
    async remember(entry) {
      tryFolder(folder);
      await unlessFull(appendFile(file, `${JSON.stringify(jsonOf(entry))}\n`, options));
    },
  };
}

/** A file's text; empty when there is none. */
async function text(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // Nothing is kept yet, or it cannot be read: the client works without.
    return "";
  }
}

/** The newest lines that are few and short enough, oldest first. */
function newestOf(lines: readonly string[]): readonly string[] {
  let characters = 0;
  let from = lines.length;
  while (from > 0 && lines.length - from < MOST_ENTRIES) {
    characters += lines[from - 1]?.length ?? 0;
    if (characters > MOST_CHARACTERS && from < lines.length) break;
    from -= 1;
  }
  return lines.slice(from);
}

function entryOf(line: string): readonly Written[] {
  try {
    const entry = WRITTEN.safeParse(JSON.parse(line));
    return entry.success ? [entry.data] : [];
  } catch {
    // The last line of a process that died while it wrote.
    return [];
  }
}

function tryFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch {
    // The write that follows fails too, and is done without.
  }
}

/** A conversation goes on when the disk is full; only what would be kept is not. */
async function unlessFull(writing: Promise<void>): Promise<void> {
  await writing.catch(() => undefined);
}
