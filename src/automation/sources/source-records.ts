import type { RecordDraft, Records } from "../../core/index.ts";
import { RecordSpace } from "../work/record-space.ts";
import type { Source, SourceReading } from "./source.ts";

const SOURCES = "kb.source";
const READINGS = "kb.reading";
const MOST = 10_000;

/** The sources of a home and their readings, as records. */
export class SourceRecords {
  readonly sources: RecordSpace<Source>;
  /** The claim of a reading that has begun stays with its process until it is removed. */
  readonly readings: RecordSpace<SourceReading>;

  constructor(records: Records) {
    this.sources = new RecordSpace(records, { space: SOURCES, name: "Source", encode: sourceDraft });
    this.readings = new RecordSpace(records, { space: READINGS, name: "Reading", encode: readingDraft });
  }

  /** Oldest first. */
  list(): Promise<readonly Source[]> {
    return this.sources.list({ limit: MOST });
  }
}

const sourceDraft = (source: Source): RecordDraft => ({
  space: SOURCES,
  key: source.id,
  value: JSON.stringify(source),
  ...(source.nextReadAt !== undefined && { dueAt: source.nextReadAt }),
});

const readingDraft = (reading: SourceReading): RecordDraft => ({
  space: READINGS,
  key: reading.source,
  value: JSON.stringify(reading),
  dueAt: reading.dueAt,
  claim: reading.startedAt !== undefined,
});
