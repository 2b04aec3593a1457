import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "../../shared/async/clock.ts";
import { withFileLock } from "../../shared/files/file-lock.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import type { Records } from "../../core/index.ts";
import { MemoryFiles, MemoryRecords, type MemoryTexts } from "../../providers/knowledge/index.ts";
import { DATABASE_FILE } from "../../providers/store/sqlite/open-database.ts";
import { randomHex } from "../../shared/crypto/random-hex.ts";
import { homeFolder, type HomeTexts } from "../config/home-texts.ts";
import { SharedTexts } from "./shared-texts.ts";

const FILE_MODE = 0o600;
const EPOCH_LENGTH = 12;

/** The keepers of what the host itself writes beside its store, and what people do not deploy. */
export interface HomeParts extends Disposable {
  readonly memory: MemoryTexts;
  readonly texts: HomeTexts;
  /** Another one for another database, also for one that was put in the place of the old one. */
  readonly epoch: () => string;
}

/** Files of a home. */
export const homeParts = (home: string): HomeParts => ({
  memory: new MemoryFiles({
    folder: join(home, "memories"),
    replaceFile: (path, text) => replaceFile(path, text, FILE_MODE),
    underLock: (path, work, signal) => withFileLock(path, work, { clock: systemClock, signal }),
  }),
  texts: homeFolder(home),
  epoch: () => fileEpoch(join(home, DATABASE_FILE)),
  [Symbol.dispose]: () => undefined,
});

/** Records of a store that machines share. @throws HostError `store_*` */
export async function sharedParts(records: Records, clock: Clock): Promise<HomeParts> {
  const texts = new SharedTexts(records, clock);
  await texts.refresh();
  texts.follow();
  const epoch = await databaseEpoch(records);
  return {
    memory: new MemoryRecords(records),
    texts,
    epoch: () => epoch,
    [Symbol.dispose]: () => texts[Symbol.dispose](),
  };
}

function fileEpoch(file: string): string {
  const { dev, ino, birthtimeMs } = statSync(file);
  return createHash("sha256").update(`${dev} ${ino} ${birthtimeMs}`).digest("hex").slice(0, EPOCH_LENGTH);
}

/** The name that the first host gave the database. */
async function databaseEpoch(records: Records): Promise<string> {
  const value = JSON.stringify(randomHex(EPOCH_LENGTH / 2));
  const { record } = await records.add({ space: "store.name", key: "name", value });
  return String(JSON.parse(record.value));
}
