import type { Clock } from "../../shared/async/clock.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import { type HostError, messageOf } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { nextDue } from "../jobs/schedule.ts";
import type { SeenDocument, Source, SourceOutcome, SourceReading } from "./source.ts";
import type { ClaimedReading, SourceRecords } from "./source-records.ts";
import { noSource } from "./sources.ts";
import type { SourceVisit, VisitEnd, VisitParts } from "./source-visit.ts";
import { visitAddress } from "./visit-address.ts";
import { visitFile, visitFolder } from "./visit-folder.ts";

/** The parts of a reader of sources. */
export interface SourceReaderParts {
  readonly records: SourceRecords;
  /** Opened with the first reading. */
  readonly library: () => Promise<VisitParts["library"]>;
  readonly fetcher: VisitParts["fetcher"];
  readonly clock: Clock;
  readonly zone: string;
  readonly report: (error: HostError) => void;
  /** Told of each document that this process has looked at. */
  readonly heard?: (source: Source, document: SeenDocument) => void;
}

const LOOK_MS = 1000;
/** How often others are told how far a reading is. */
const TELL_MS = 1000;

/**
 * A reader of sources, on their schedules and when somebody asks. Any number of processes may do so on one home: each
 * reading is done by one, and by another one when that dies.
 */
export class SourceReader extends PollingWorker {
  readonly #parts: SourceReaderParts;

  constructor(parts: SourceReaderParts) {
    const { clock, report } = parts;
    super({ clock, report, concurrency: 1, everyMs: LOOK_MS, poll: () => this.#look() });
    this.#parts = parts;
  }

  async #look(): Promise<void> {
    const { records } = this.#parts;
    await records.sources.takeDue((source) => this.#fire(source));
    if (this.capacity === 0) return;
    const claimed = await records.claimReading();
    if (claimed === undefined) return;
    const { reading, readings } = claimed;
    void this.trackClaimed({
      work: () => this.#read(claimed),
      isClaimed: () => readings.isClaimed(reading.source),
    });
  }

  /** First the reading, then the next due time: a process that dies in between is followed by one that adds nothing twice. */
  async #fire({ id, machine, nextReadAt: due }: Source): Promise<void> {
    const { records, clock, zone } = this.#parts;
    if (due === undefined) return;
    await records.readingsOf(defined({ machine })).add({ source: id, dueAt: due, again: false });
    await records.sources.change(id, (source) => {
      const { schedule, nextReadAt, ...rest } = source;
      // The schedule was changed meanwhile: its due time stands already.
      if (schedule === undefined || nextReadAt !== due) return { ...source };
      const next = nextDue(schedule, { after: clock.now(), zone, anchor: due });
      return { ...rest, schedule, ...(next !== undefined && { nextReadAt: next }) };
    });
  }

  async #read({ reading: { source: id, again }, readings }: ClaimedReading): Promise<void> {
    const { records, clock } = this.#parts;
    const source = await records.sources.get(id);
    // Since it was asked for somebody may have added the path of another machine in its place.
    if (source !== undefined && (source.machine === undefined || source.machine === records.machine)) {
      await readings.change(id, (reading) => ({ ...reading, startedAt: clock.now() }));
      const outcome = await this.#visit(source, { again, readings });
      const kept = await records.sources.change(id, (now) => ({ ...now, last: outcome }));
      if (kept === undefined) await this.#clear(id);
    }
    await readings.remove(id);
  }

  async #visit(
    source: Source,
    { again, readings }: Pick<SourceReading, "again"> & Pick<ClaimedReading, "readings">,
  ): Promise<SourceOutcome> {
    const count = { read: 0, unchanged: 0, failed: 0, removed: 0, gone: 0 };
    const { clock, fetcher, heard } = this.#parts;
    const tell = this.#teller(source.id, readings);
    let end: VisitEnd;
    try {
      const library = await this.#parts.library();
      const visit: SourceVisit = {
        library,
        fetcher,
        clock,
        source,
        again,
        signal: this.signal,
        counted: tell.counted,
        seen: async (document) => {
          count[document.outcome] += 1;
          heard?.(source, document);
          await tell.done(document);
        },
      };
      end = await VISITS[source.kind](visit);
    } catch (thrown) {
      // Another process reads it from the beginning.
      if (this.signal.aborted) throw thrown;
      end = { problem: messageOf(thrown) };
    }
    const { gone: _gone, ...counts } = count;
    return { at: clock.now(), ...counts, ...end };
  }

  /** Notes now and then how far a reading is, and ends it when its source is not there any more. */
  #teller(id: string, readings: ClaimedReading["readings"]) {
    const { records, clock } = this.#parts;
    let [done, total] = [0, 0];
    let told = clock.monotonic();
    return {
      counted: (all: number) => void (total = all),
      done: async (document: SeenDocument) => {
        done += 1;
        const source = await records.sources.get(id);
        if (source === undefined) {
          await this.#clear(id);
          throw noSource(id);
        }
        // Somebody removed it while it was read.
        if (source.excluded?.includes(document.origin) === true) await this.#remove([document.id]);
        if (clock.monotonic() - told < TELL_MS) return;
        told = clock.monotonic();
        await readings.change(id, (reading) => ({ ...reading, done, total }));
      },
    };
  }

  /** Takes away what was added after somebody removed the source. */
  async #clear(id: string): Promise<void> {
    const library = await this.#parts.library();
    await this.#remove((await library.known(id)).map((document) => document.id));
  }

  async #remove(ids: readonly string[]): Promise<void> {
    await (await this.#parts.library()).remove(ids);
  }
}

const VISITS: Readonly<Record<Source["kind"], (visit: SourceVisit) => Promise<VisitEnd>>> = {
  folder: visitFolder,
  file: visitFile,
  address: visitAddress,
};
