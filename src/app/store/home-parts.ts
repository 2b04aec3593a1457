import { join } from "node:path";
import { type Clock, systemClock } from "../../shared/async/clock.ts";
import { withFileLock } from "../../shared/files/file-lock.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import type { Records } from "../../core/index.ts";
import { MemoryFiles, MemoryRecords, type MemoryTexts } from "../../providers/knowledge/index.ts";
import { homeFolder, type HomeTexts } from "../config/home-texts.ts";
import { SharedTexts } from "./shared-texts.ts";

const FILE_MODE = 0o600;

/** The keepers of what the host itself writes beside its store, and what people do not deploy. */
export interface HomeParts extends Disposable {
  readonly memory: MemoryTexts;
  readonly texts: HomeTexts;
}

/** Files of a home. */
export const homeParts = (home: string): HomeParts => ({
  memory: new MemoryFiles({
    folder: join(home, "memories"),
    replaceFile: (path, text) => replaceFile(path, text, FILE_MODE),
    underLock: (path, work, signal) => withFileLock(path, work, { clock: systemClock, signal }),
  }),
  texts: homeFolder(home),
  [Symbol.dispose]: () => undefined,
});

/** Records of a store that machines share. @throws HostError `store_*` */
export async function sharedParts(records: Records, clock: Clock): Promise<HomeParts> {
  const texts = new SharedTexts(records, clock);
  await texts.refresh();
  texts.follow();
  return { memory: new MemoryRecords(records), texts, [Symbol.dispose]: () => texts[Symbol.dispose]() };
}
