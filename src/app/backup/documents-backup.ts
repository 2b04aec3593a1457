import { existsSync, statSync, writeFileSync } from "node:fs";
import { documentsMark, hasDocuments, kbFile, kbFolder } from "../../providers/kb/mark.ts";
import {
  backUpDatabase,
  checkSideDatabase,
  restoreSideDatabase,
} from "../../providers/store/sqlite/backup.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";

/** Copies the knowledge base of a home into a backup, while others use it; gives the bytes that were written. */
export async function copyDocuments(home: string, to: string): Promise<number> {
  const file = kbFile(home);
  if (!existsSync(file)) return 0;
  makeFolder(kbFolder(to));
  await backUpDatabase(file, kbFile(to));
  if (hasDocuments(home)) writeFileSync(documentsMark(to), "");
  return statSync(kbFile(to)).size;
}

/** Brings the knowledge base of a backup back, if there was one. @throws HostError `store_*` */
export async function bringDocumentsBack(backup: string, home: string): Promise<void> {
  if (!existsSync(kbFile(backup))) return;
  checkSideDatabase(kbFile(backup));
  makeFolder(kbFolder(home));
  await restoreSideDatabase(kbFile(backup), kbFile(home));
  if (hasDocuments(backup)) writeFileSync(documentsMark(home), "");
}
