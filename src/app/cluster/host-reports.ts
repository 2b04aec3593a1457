import { z } from "zod";
import type { Clock, Records } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";

const SPACE = "cluster.report";
const MOST = 1000;
const EVERY_MS = 10_000;
/** A report is not there any more when three were missed. */
const KEPT_MS = 35_000;

const Report = z.object({
  machine: z.string(),
  pid: z.number(),
  version: z.string(),
  /** Unix milliseconds. */
  since: z.number(),
  /** When it was written, by the clock of the store. */
  at: z.number(),
  /** Turns that run. */
  running: z.number(),
  /** Milliseconds of the last write to the database. */
  databaseMs: z.number().optional(),
  advertise: z.string().optional(),
  agreement: z.record(z.string(), z.string()),
});

/** A report that a host gives of itself. */
export type HostReport = z.output<typeof Report>;

/** The parts of the reports of one host. */
export interface HostReportsParts {
  readonly records: Records;
  readonly clock: Clock;
  readonly hostId: string;
  /** What the host is like now. */
  readonly describe: () => Omit<HostReport, "at" | "databaseMs">;
  /** Told of all reports when this host has given its first one, and whenever what must agree has changed here. */
  readonly told: (reports: ReadonlyMap<string, HostReport>) => void;
}

/** The reports of a host that stays: what it is and does, every ten seconds. */
export class HostReports implements AsyncDisposable {
  readonly #parts: HostReportsParts;
  #cancel: (() => void) | undefined;
  #closed = false;
  #lastMs: number | undefined;
  #agreed = "";
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: HostReportsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#writing = this.#write()
      // While the store does not answer there is nothing to report to.
      .catch(() => undefined)
      .then(() => {
        if (!this.#closed) this.#cancel = this.#parts.clock.after(EVERY_MS, () => this.start());
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#writing;
    await this.#parts.records.remove(SPACE, this.#parts.hostId).catch(() => false);
  }

  async #write(): Promise<void> {
    const { records, clock, hostId, describe, told } = this.#parts;
    const at = clock.now();
    const report = { ...describe(), at, ...defined({ databaseMs: this.#lastMs }) };
    const from = clock.monotonic();
    await records.put({ space: SPACE, key: hostId, value: JSON.stringify(report), expiresAt: at + KEPT_MS });
    this.#lastMs = clock.monotonic() - from;
    const agreed = JSON.stringify(report.agreement);
    if (agreed === this.#agreed) return;
    this.#agreed = agreed;
    told(await hostReports(records));
  }
}

/** The newest report of each host, by its id. */
export async function hostReports(records: Records): Promise<ReadonlyMap<string, HostReport>> {
  const found = await records.list({ space: SPACE, limit: MOST });
  return new Map(
    found.flatMap(({ key, value }) => {
      const report = Report.safeParse(JSON.parse(value));
      return report.success ? [[key, report.data] as const] : [];
    }),
  );
}
