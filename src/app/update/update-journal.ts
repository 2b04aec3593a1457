import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";

/** The steps of an update, in their order. */
export const UPDATE_STEPS = ["back-up", "install", "try", "switch", "restart"] as const;
/** A step of an update. */
export type UpdateStep = (typeof UPDATE_STEPS)[number];

const Entry = z.object({
  from: z.string(),
  to: z.string(),
  step: z.enum(UPDATE_STEPS),
  pid: z.number(),
  /** Unix milliseconds. */
  startedAt: z.number(),
  endedAt: z.number().exactOptional(),
  /** It failed before anything was switched, or the version before was put back. */
  outcome: z.enum(["done", "failed", "went-back"]).exactOptional(),
  message: z.string().exactOptional(),
});

/** The newest update of a home: how far it has come, and how it ended. */
export type JournalEntry = Readonly<z.output<typeof Entry>>;

/** The file in which an update says how far it has come, for the page and for who looks after a crash. */
export class UpdateJournal {
  readonly #file: string;

  constructor(home: string) {
    this.#file = join(home, "versions", "update.json");
  }

  read(): JournalEntry | undefined {
    try {
      return Entry.parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch {
      return undefined;
    }
  }

  write(entry: JournalEntry): void {
    makeFolder(join(this.#file, ".."));
    replaceFile(this.#file, JSON.stringify(entry), 0o600);
  }
}
