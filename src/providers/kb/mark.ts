import { existsSync } from "node:fs";
import { join } from "node:path";

/** The folder of the knowledge base in a home. */
export const kbFolder = (home: string): string => join(home, "kb");

/** The database of the knowledge base. */
export const kbFile = (home: string): string => join(kbFolder(home), "kb.db");

/** A file that is there while some document can be searched, so that who asks opens no database. */
export const documentsMark = (home: string): string => join(kbFolder(home), "has-documents");

/** Whether a home has a document that can be searched. */
export const hasDocuments = (home: string): boolean => existsSync(documentsMark(home));
