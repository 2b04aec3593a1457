import type { RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** The form of one kind of record. */
export interface RecordForm<T, Changed extends T = T> {
  readonly space: string;
  readonly key: string;
  /** Its name in messages: `Job 1a2b`. */
  readonly name: string;
  readonly decode: (record: StoredRecord) => T;
  readonly encode: (value: Changed) => RecordDraft;
}

/** Writes that others may get in between before a change is given up. */
const TRIES = 20;

/**
 * Changes a record on its newest state.
 *
 * @param change - called again when another process wrote the record meanwhile; `undefined` leaves it as it is
 * @returns the value as it is now, `undefined` when there is no record
 * @throws HostError `conflict` when others change the record all the time
 */
export async function changeRecord<T, Changed extends T = T>(
  records: Records,
  { space, key, name, decode, encode }: RecordForm<T, Changed>,
  change: (value: T) => Changed | undefined,
): Promise<T | undefined> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const record = await records.get(space, key);
    if (record === undefined) return undefined;
    const known = decode(record);
    const changed = change(known);
    if (changed === undefined) return known;
    if ((await records.replace(encode(changed), record.version)) !== undefined) return changed;
  }
  throw new HostError("conflict", `${name} is being changed by others; try again.`);
}
