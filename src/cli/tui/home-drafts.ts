import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../shared/files/make-folder.ts";
import type { DraftStore } from "../../tui/draft-store.ts";

/** Entries that are read again; older ones are dropped when the file is twice as long. */
const MOST_ENTRIES = 1000;

/** Keeps what a person sent and was writing in files of the home, for its owner's eyes only. */
export function homeDrafts(home: string): DraftStore {
  const folder = join(home, "tui");
  const history = join(folder, "history.jsonl");
  const draft = join(folder, "draft.txt");
  const options = { mode: 0o600 };
  return {
    async history() {
      const entries = linesOf(await text(history));
      if (entries.length > MOST_ENTRIES * 2) await unlessFull(writeFile(history, joined(entries), options));
      return entries.slice(-MOST_ENTRIES);
    },
    async remember(entry) {
      tryFolder(folder);
      await unlessFull(appendFile(history, `${JSON.stringify(entry)}\n`, options));
    },
    draft: () => text(draft),
    async saveDraft(entry) {
      tryFolder(folder);
      await unlessFull(entry === "" ? rm(draft, { force: true }) : writeFile(draft, entry, options));
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

function linesOf(content: string): readonly string[] {
  return content.split("\n").flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      return typeof entry === "string" ? [entry] : [];
    } catch {
      // The last line of a process that died while it wrote.
      return [];
    }
  });
}

const joined = (entries: readonly string[]): string =>
  entries
    .slice(-MOST_ENTRIES)
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");

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
