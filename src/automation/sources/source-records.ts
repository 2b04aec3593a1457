import type { RecordDraft, Records } from "../../core/index.ts";
import { RecordSpace } from "../work/record-space.ts";
import type { Source, SourceReading } from "./source.ts";

const SOURCES = "kb.source";
const READINGS = "kb.reading";
const MOST = 10_000;

/** A reading that this process has claimed, among the others of its kind. */
export interface ClaimedReading {
  readonly reading: SourceReading;
  readonly readings: RecordSpace<SourceReading>;
}

/** The sources of a home and their readings, as records. */
export class SourceRecords {
  readonly sources: RecordSpace<Source>;
  /** The name of this machine, where several share the records. */
  readonly machine: string | undefined;
  readonly #records: Records;

  constructor(records: Records, machine?: string) {
    this.sources = new RecordSpace(records, { space: SOURCES, name: "Source", encode: sourceDraft });
    this.machine = machine;
    this.#records = records;
  }

  /** Oldest first. */
  list(): Promise<readonly Source[]> {
    return this.sources.list({ limit: MOST });
  }

  /**
   * The readings that are done where a source's path means something, or anywhere. The claim of one that has begun stays with its
   * process until it is removed.
   */
  readingsOf({ machine }: Pick<Source, "machine">): RecordSpace<SourceReading> {
    const space = machine === undefined ? READINGS : `${READINGS}@${machine}`;
    return new RecordSpace(this.#records, { space, name: "Reading", encode: readingDraft(space) });
  }

  /** Claims a reading that can be done on this machine. */
  async claimReading(): Promise<ClaimedReading | undefined> {
    const places = this.machine === undefined ? [{}] : [{ machine: this.machine }, {}];
    for (const place of places) {
      const readings = this.readingsOf(place);
      const [reading] = await readings.claimDue(1);
      if (reading !== undefined) return { reading, readings };
    }
    return undefined;
  }
}

const sourceDraft = (source: Source): RecordDraft => ({
  space: SOURCES,
  key: source.id,
  value: JSON.stringify(source),
  ...(source.nextReadAt !== undefined && { dueAt: source.nextReadAt }),
});

const readingDraft =
  (space: string) =>
  (reading: SourceReading): RecordDraft => ({
    space,
    key: reading.source,
    value: JSON.stringify(reading),
    dueAt: reading.dueAt,
    claim: reading.startedAt !== undefined,
  });
