import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import type { Clock, HomeMachine, Records } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";

const SPACE = "cluster.host";
const MOST = 1000;
const EVERY_MS = 10_000;

const reportWire = later(() =>
  z.object({
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
    agreement: z.record(z.string(), z.string()),
  }),
);
const notedWire = later(() =>
  z.object({
    name: z.string(),
    advertise: z.string().optional(),
    report: reportWire().optional().catch(undefined),
  }),
);

/** A report that a host gives of itself. */
export type HostReport = z.output<ReturnType<typeof reportWire>>;

/** A host of the cluster, as it says of itself. */
export interface ClusterHost {
  readonly hostId: string;
  readonly machine: HomeMachine;
  /** Where other machines reach it. */
  readonly advertise?: string;
  readonly alive: boolean;
  /** Absent until it has opened. */
  readonly report?: HostReport;
}

/** The parts of the list of hosts. */
export interface ClusterHostsParts {
  readonly records: Records;
  readonly hostId: string;
  readonly machine: HomeMachine;
  readonly clock: Clock;
  readonly advertise?: string;
}

/** A host that reports what it is and does. */
export interface HostReporting {
  /** The clock of the store. */
  readonly now: () => number;
  readonly describe: () => Omit<HostReport, "at" | "databaseMs">;
  /** Told of all hosts when this one has given its first report, and whenever what must agree has changed here. */
  readonly told: (hosts: readonly ClusterHost[]) => void;
}

/** The hosts that share a store: each notes that it is there, and what it does, every ten seconds; its heartbeat says that it still is. */
export class ClusterHosts implements AsyncDisposable {
  readonly #parts: ClusterHostsParts;
  #reporting: HostReporting | undefined;
  #agreed = "";
  #lastMs: number | undefined;
  #cancel: () => void = () => undefined;
  #noting: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(parts: ClusterHostsParts) {
    this.#parts = parts;
  }

  /** Notes that this host is there, until it is disposed of or dies. */
  async join(): Promise<void> {
    const { records, hostId: key } = this.#parts;
    // What hosts left that died: nobody else removes it.
    for (const { hostId, alive } of await this.all())
      if (!alive && hostId !== key) await records.remove(SPACE, hostId);
    await this.#note();
    this.#noteLater();
  }

  /** From now on this host's note says what it does. */
  report(reporting: HostReporting): void {
    this.#reporting = reporting;
    this.#cancel();
    this.#noteAgain();
  }

  async all(): Promise<readonly ClusterHost[]> {
    return await this.#list({});
  }

  /** Whether a host of a machine lives. */
  async isThere(machine: string): Promise<boolean> {
    return (await this.#list({ parent: machine })).some(({ alive }) => alive);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    await this.#noting;
    await this.#parts.records.remove(SPACE, this.#parts.hostId);
  }

  #list(of: { readonly parent?: string }): Promise<readonly ClusterHost[]> {
    return clusterHosts(this.#parts.records, of);
  }

  /** A host that was cut off for long counts as dead from then on, and may be forgotten: its next note says anew that it is there. */
  async #note(): Promise<void> {
    const { records, hostId: key, machine, clock, advertise } = this.#parts;
    const { now, describe, told } = this.#reporting ?? {};
    const report = describe && now && { ...describe(), at: now(), ...defined({ databaseMs: this.#lastMs }) };
    const note: z.input<ReturnType<typeof notedWire>> = {
      name: machine.name,
      ...defined({ advertise, report }),
    };
    const from = clock.monotonic();
    await records.put({ space: SPACE, key, parent: machine.id, value: JSON.stringify(note), claim: true });
    this.#lastMs = clock.monotonic() - from;
    const agreed = JSON.stringify(report?.agreement) ?? "";
    if (agreed === this.#agreed) return;
    this.#agreed = agreed;
    told?.(await this.all());
  }

  #noteLater(): void {
    if (!this.#isOver) this.#cancel = this.#parts.clock.after(EVERY_MS, () => this.#noteAgain());
  }

  #noteAgain(): void {
    this.#noting = this.#noting
      .then(() => (this.#isOver ? undefined : this.#note()))
      // While the store does not answer nobody can be told.
      .catch(() => undefined)
      .then(() => {
        this.#cancel();
        this.#noteLater();
      });
  }
}

/** The hosts of a store, those among them that died and that nobody has removed yet. */
export async function clusterHosts(
  records: Pick<Records, "list">,
  of: { readonly parent?: string } = {},
): Promise<readonly ClusterHost[]> {
  const found = await records.list({ space: SPACE, limit: MOST, ...of });
  return found.flatMap(({ key: hostId, parent = "", value, claim }) => {
    const noted = notedWire().safeParse(JSON.parse(value));
    if (!noted.success) return [];
    const { name, advertise, report } = noted.data;
    const machine = { id: parent, name };
    return [{ hostId, machine, alive: claim?.alive === true, ...defined({ advertise, report }) }];
  });
}
