/** A rule of approvals that holds in sessions of one folder, and of those below it. */
export interface FolderRule {
  /** Absolute. */
  readonly folder: string;
  readonly rule: string;
}

/** Kinds of rules that name their own place, or a host: those hold everywhere. */
const PLACED = /^(?:in|edit|read|write|host|reach):/;

/** Whether a rule can be one that holds in a folder only. A folder's name with a colon could be read in two ways. */
export const canStandIn = ({ folder, rule }: FolderRule): boolean =>
  /^\/[^:\p{Cc}]*$/u.test(folder) && rule !== "" && !PLACED.test(rule);

/** Writes a rule that holds in a folder only: `in:/work/app:git commit *`. */
export const writeFolderRule = ({ folder, rule }: FolderRule): string => `in:${folder}:${rule}`;

/** Reads a rule that holds in a folder only; `undefined` for every other. */
export function readFolderRule(text: string): FolderRule | undefined {
  const [, folder, rule] = /^in:(\/[^:]*):(.+)$/s.exec(text) ?? [];
  if (folder === undefined || rule === undefined) return undefined;
  const read = { folder, rule };
  return canStandIn(read) ? read : undefined;
}

/** Whether a folder is another one or lies below it; both are absolute and without `..`. */
export const isAtOrBelow = (folder: string, other: string): boolean =>
  folder === other || folder.startsWith(other.endsWith("/") ? other : `${other}/`);
