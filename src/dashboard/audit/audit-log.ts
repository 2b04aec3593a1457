import type { Clock, RandomHex, Records } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { RecordSpace } from "../../automation/work/record-space.ts";

/** One thing that somebody did, or was refused. */
export interface AuditDraft {
  /** The operator, or what tried to be one. */
  readonly who: string;
  /** The address that the request came from. */
  readonly from: string;
  /** `sign-in`, `sign-in.refused`, `connector.changed`, … */
  readonly action: string;
  /** The thing that it was done to. */
  readonly subject?: string;
  /** As it was and as it is, without secrets. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** An entry of the audit log. */
export interface AuditEntry extends AuditDraft {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** An entry as a line of JSON, for other programs. */
export const auditLine = (entry: AuditEntry): string =>
  `${JSON.stringify({ ...entry, at: new Date(entry.at).toISOString() })}\n`;

/** A page of the audit log. */
export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Where the next page begins; absent at the end. */
  readonly next?: number;
}

const SPACE = "dashboard.audit";
const KEPT = 100_000;
const YEAR = 365 * 24 * 3_600_000;
/**
 * What expires first goes first where there is too much: anybody can have any number of refusals written, and they take
 * the place of no change of the last two years.
 */
const KEPT_FOR = 3 * YEAR;
const REFUSALS_KEPT_FOR = YEAR;
const REFUSAL = /[.-](?:refused|locked|failed)$/;
const READ_AT_ONCE = 500;
const TRIMMED_EVERY = 1000;

/** The record of who did what at the dashboard; it is on by default, and cannot be switched off. */
export class AuditLog {
  readonly #records: Records;
  readonly #space: RecordSpace<AuditEntry>;
  readonly #clock: Clock;
  readonly #hex: RandomHex;
  #added = 0;

  constructor(records: Records, { clock, hex }: { readonly clock: Clock; readonly hex: RandomHex }) {
    this.#records = records;
    this.#clock = clock;
    this.#hex = hex;
    this.#space = new RecordSpace<AuditEntry>(records, {
      space: SPACE,
      name: "Audit entry",
      encode: (value) => ({
        space: SPACE,
        key: value.id,
        value: JSON.stringify(value),
        expiresAt: value.at + (REFUSAL.test(value.action) ? REFUSALS_KEPT_FOR : KEPT_FOR),
      }),
    });
  }

  async note(draft: AuditDraft): Promise<void> {
    await this.#space.add({ ...draft, id: `aud_${this.#hex(8)}`, at: this.#clock.now() });
    this.#added += 1;
    if (this.#added % TRIMMED_EVERY === 0) await this.#records.trim(SPACE, KEPT);
  }

  /** What was noted after a position, the oldest first, and where to go on. */
  async follow(after: number, limit: number): Promise<Required<AuditPage>> {
    const { values, next } = await this.#space.follow(after, limit);
    return { entries: values, next };
  }

  /** @param after - the `next` of the page before */
  async page({ after, limit }: { readonly after?: number; readonly limit: number }): Promise<AuditPage> {
    const { values, ...more } = await this.#space.page({
      newestFirst: true,
      limit,
      ...defined({ after }),
    });
    return { entries: values, ...more };
  }

  /** All of it, newest first, read as it is taken. */
  async *entries(): AsyncGenerator<AuditEntry> {
    for (let after: number | undefined; ;) {
      const { entries, next } = await this.page({ limit: READ_AT_ONCE, ...defined({ after }) });
      yield* entries;
      if (next === undefined) return;
      after = next;
    }
  }
}
