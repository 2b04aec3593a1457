import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { logText } from "../../shared/text/log-text.ts";

/** A log that has grown to this is put aside; one older one is kept. */
const LARGEST_LOG = 5_000_000;

/** The file of an older log. */
export const olderLog = (file: string): string => `${file}.old`;

/** Adds records to a log, which is put aside when it has grown large. @throws Error when it cannot be written */
export function appendLog(folder: string, name: string, records: readonly string[]): void {
  const file = join(folder, name);
  makeFolder(folder);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG) renameSync(file, olderLog(file));
  appendFileSync(file, records.map((record) => `${logText(record)}\n`).join(""), { mode: 0o600 });
}
