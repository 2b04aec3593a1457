import { defined } from "../../shared/json/defined.ts";
import { createHash } from "node:crypto";
import type { Records, StoredRecord } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { RandomHex } from "../../shared/crypto/random-hex.ts";
import { secretCheck } from "../../shared/crypto/secret-check.ts";

/** A machine that is expected to report. Times are Unix milliseconds. */
export interface Instance {
  readonly name: string;
  /** SHA-256 of the token with which it reports. */
  readonly tokenHash: string;
  readonly registeredAt: number;
  readonly lastSeenAt?: number;
  readonly version?: string;
}

/** A time in which an instance did not report; nobody but staff sees it. */
export interface Gap {
  readonly id: string;
  readonly instance: string;
  readonly from: number;
  /** Absent while it lasts. */
  readonly to?: number;
}

/** An incident that staff tell the public. */
export interface Incident {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly startedAt: number;
  readonly resolvedAt?: number;
}

/** The public state of the fleet. */
export interface FleetStatus {
  readonly online: number;
  readonly total: number;
  readonly healthy: boolean;
  readonly incidents: readonly Incident[];
  readonly at: number;
}

/** The parts of a fleet. */
export interface FleetOptions {
  readonly records: Records;
  readonly clock: Clock;
  readonly hex: RandomHex;
}

/** An instance that has not reported for longer is taken for gone. */
const WINDOW_MS = 5 * 60_000;
const INSTANCES = "fleet.instance";
const GAPS = "fleet.gap";
const INCIDENTS = "fleet.incident";
const GAP_KEPT_MS = 90 * 24 * 3_600_000;
/** Resolved incidents stay public for a week. */
const RESOLVED_SHOWN_MS = 7 * 24 * 3_600_000;
const MOST = 10_000;
const TRIES = 10;
/** A monitor looks for this word to tell that all is well: nothing else may say it. */
const RESERVED = /operational/i;

/** The instances of a fleet, their last reports, and the incidents that the public is told. */
export class Fleet {
  readonly #options: FleetOptions;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /**
   * Expects an instance from now on; gives the token with which it reports. @throws HostError `invalid_params`,
   * `conflict`
   */
  async register(name: string): Promise<string> {
    const { records, clock, hex } = this.#options;
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name))
      throw invalid(`${JSON.stringify(name)} is no name for an instance: use letters, digits, ., - and _.`);
    const token = hex(32);
    const instance: Instance = { name, tokenHash: hash(token), registeredAt: clock.now() };
    const { added } = await records.add({ space: INSTANCES, key: name, value: JSON.stringify(instance) });
    if (!added) throw new HostError("conflict", `The instance ${name} is registered already.`);
    return token;
  }

  /** @throws HostError `not_found` */
  async remove(name: string): Promise<void> {
    if (!(await this.#options.records.remove(INSTANCES, name))) {
      throw new HostError("not_found", `There is no instance ${name}.`);
    }
  }

  async instances(): Promise<readonly Instance[]> {
    const list = await this.#options.records.list({ space: INSTANCES, limit: MOST });
    return list.map(instanceOf);
  }

  /** The instance was heard of. @throws HostError `unauthorized` for a token that is not its own */
  async heartbeat(name: string, token: string, version?: string): Promise<void> {
    const { records, clock } = this.#options;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const record = await records.get(INSTANCES, name);
      const known = record && instanceOf(record);
      // The error does not tell whether the name or the token is wrong.
      const isRight = secretCheck(known?.tokenHash ?? hash(""))(hash(token));
      if (record === undefined || known === undefined || !isRight) {
        throw new HostError("unauthorized", "This is no token of that instance.");
      }
      const now = clock.now();
      await this.#closeGap(known, now);
      const seen: Instance = { ...known, lastSeenAt: now, ...defined({ version: version?.slice(0, 40) }) };
      const draft = { space: INSTANCES, key: name, value: JSON.stringify(seen) };
      if ((await records.replace(draft, record.version)) !== undefined) return;
    }
    throw new HostError("conflict", `The instance ${name} reports too often.`);
  }

  /** The newest first, those that last among them. */
  async gaps(): Promise<readonly Gap[]> {
    const { records, clock } = this.#options;
    const now = clock.now();
    const closed = (await records.list({ space: GAPS, newestFirst: true, limit: MOST })).map(storedGap);
    const lasting = (await this.instances()).filter((instance) => !isOnline(instance, now)).map(gapOf);
    return [...lasting, ...closed];
  }

  /** Tells the public of an incident. @throws HostError `invalid_params` for a text that a monitor would misread */
  async open(title: string, text: string, startedAt?: number): Promise<Incident> {
    const { records, clock, hex } = this.#options;
    if (title.trim() === "" || title.length > 200 || text.length > 5000)
      throw invalid("An incident needs a title of at most 200 characters, and a text of at most 5,000.");
    if (RESERVED.test(title) || RESERVED.test(text))
      throw invalid('An incident must not say "operational": monitors read that as the all-clear.');
    const incident: Incident = {
      id: hex(4),
      title: title.trim(),
      text: text.trim(),
      startedAt: startedAt ?? clock.now(),
    };
    await records.put({ space: INCIDENTS, key: incident.id, value: JSON.stringify(incident) });
    return incident;
  }

  /** Makes a gap public. @throws HostError `not_found`, `invalid_params` */
  async promote(gapId: string, title: string, text: string): Promise<Incident> {
    const gap = (await this.gaps()).find(({ id }) => id === gapId);
    if (gap === undefined) throw new HostError("not_found", `There is no gap ${gapId}.`);
    return await this.open(title, text, gap.from);
  }

  /** @throws HostError `not_found` */
  async resolve(id: string): Promise<Incident> {
    const { records, clock } = this.#options;
    const record = await records.get(INCIDENTS, id);
    if (record === undefined) throw new HostError("not_found", `There is no incident ${id}.`);
    const incident = { ...incidentOf(record), resolvedAt: clock.now() };
    await records.put({ space: INCIDENTS, key: id, value: JSON.stringify(incident) });
    return incident;
  }

  /** The newest first. */
  async incidents(): Promise<readonly Incident[]> {
    const list = await this.#options.records.list({ space: INCIDENTS, newestFirst: true, limit: MOST });
    return list.map(incidentOf);
  }

  /** Gives the public state: healthy when every registered instance has reported in the last five minutes. */
  async status(): Promise<FleetStatus> {
    const now = this.#options.clock.now();
    const instances = await this.instances();
    const online = instances.filter((instance) => isOnline(instance, now)).length;
    const incidents = (await this.incidents()).filter(
      ({ resolvedAt }) => resolvedAt === undefined || now - resolvedAt < RESOLVED_SHOWN_MS,
    );
    return { online, total: instances.length, healthy: online === instances.length, incidents, at: now };
  }

  async #closeGap(instance: Instance, now: number): Promise<void> {
    if (isOnline(instance, now) || instance.lastSeenAt === undefined) return;
    const gap: Gap = { ...gapOf(instance), to: now };
    const value = JSON.stringify(gap);
    await this.#options.records.add({ space: GAPS, key: gap.id, value, expiresAt: now + GAP_KEPT_MS });
  }
}

/** A clock that was put back does not make anybody late. */
const isOnline = ({ lastSeenAt }: Instance, now: number): boolean =>
  lastSeenAt !== undefined && now - lastSeenAt <= WINDOW_MS;

const gapOf = ({ name, lastSeenAt, registeredAt }: Instance): Gap => {
  const from = lastSeenAt ?? registeredAt;
  return { id: `${name}-${from}`, instance: name, from };
};

const invalid = (message: string): HostError => new HostError("invalid_params", message);

const hash = (token: string): string => createHash("sha256").update(token).digest("hex");

// Only this file writes these spaces.
const instanceOf = ({ value }: StoredRecord): Instance => JSON.parse(value) as Instance;
const storedGap = ({ value }: StoredRecord): Gap => JSON.parse(value) as Gap;
const incidentOf = ({ value }: StoredRecord): Incident => JSON.parse(value) as Incident;
