import type { RecordDraft } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";

/** The record that says which home a database is a copy of, and whether it is whole. */
export const COPY_MARK = { space: "store.copy", key: "source" } as const;

/** The value of that record. */
export interface CopyMark {
  /** The mark of the home. */
  readonly source: string;
  /** The home's folder, for people. */
  readonly place: string;
  readonly whole: boolean;
}

export const copyMarkDraft = (mark: CopyMark): RecordDraft => ({ ...COPY_MARK, value: JSON.stringify(mark) });

export function readCopyMark(value: string): CopyMark {
  // Nothing else writes this record.
  return JSON.parse(value) as CopyMark;
}

/** Refuses a database in which a copy has begun and not ended. @throws HostError `store_unavailable` */
export function requireWhole(value: string | undefined): void {
  if (value === undefined) return;
  const { whole, place } = readCopyMark(value);
  if (whole) return;
  throw new HostError(
    "store_unavailable",
    `The database holds a part of the home ${place}: \`agent store copy\` has begun and not ended. Run it again, it goes on where it was; or name another database in store.url.`,
  );
}
