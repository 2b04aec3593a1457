import { type Clock, sleep } from "../shared/async/clock.ts";
import { isJsonObject } from "../shared/json/json.ts";
import type { Records, StoredRecord } from "./ports/records.ts";

/** Milliseconds between two looks of those who wait, and of the one who has it. */
const LOOK_MS = 2000;
/** Who cannot ask for so long gives it up: others may soon take it. */
const SILENCE_MS = 5000;
/** Who has not asked for so long is not sure of it: others take it 15 s after its host was last heard. */
const SURE_MS = 10_000;

/** A role, and the host that wants it. */
export interface RoleWish {
  readonly records: Records;
  readonly clock: Clock;
  /** This host among those that share the records. */
  readonly hostId: string;
  /** The role's own space; nothing else is in it. */
  readonly space: string;
  readonly key: string;
}

/** A role that this host has until it is disposed of. */
export interface HeldRole extends AsyncDisposable {
  /** Aborts when another host has it, or may soon have it: stop at once. */
  readonly lost: AbortSignal;
  /**
   * Whether it is surely this host's at this moment; `lost` aborts before it says no. To be asked before what two hosts may not both
   * do: a process that was stopped for a while finds out here, before any timer tells it.
   */
  isHeld(): boolean;
}

let wishes = 0;
/** What was to be let go of while the store was away: the records still say that this process has it, and nobody does. */
const unreleased = new Set<string>();

/**
 * A role that one living host at a time has, of all that share the records: a connection to a platform, the following of a
 * list. When a host dies, or is cut off, another one gets it.
 */
export class RecordLease {
  readonly #wish: RoleWish;
  /** The record's value while this wish has it: others of this process want the same role. */
  readonly #mine: string;

  constructor(wish: RoleWish) {
    this.#wish = wish;
    wishes += 1;
    this.#mine = JSON.stringify({ host: wish.hostId, wish: wishes });
  }

  /** Takes the role if it is free; says whether this host has it now. */
  async hold(): Promise<boolean> {
    const { records, space, key, hostId } = this.#wish;
    const free = { space, key, value: "{}", dueAt: 0 };
    const record = (await records.get(space, key)) ?? (await records.add(free)).record;
    if (this.#isMine(record)) {
      unreleased.delete(this.#mine);
      return true;
    }
    // A claim that nobody here knows of: its answer was lost on the way, or it could not be let go of.
    const isNobodys = hostIn(record) !== hostId || unreleased.has(record.value);
    const isUnknown = record.claim?.hostId === hostId && isNobodys;
    if (!isUnknown && (await records.claimDue(space, 1)).length === 0) return false;
    const taken = { ...free, value: this.#mine, claim: true };
    return (await records.replace(taken, record.version)) !== undefined;
  }

  /**
   * Lets go of it, if this host has it. When that rejects, whoever of this process wants it next takes it, and other hosts get it
   * once this one is gone.
   */
  async release(): Promise<void> {
    const { records, space, key } = this.#wish;
    unreleased.add(this.#mine);
    const record = await records.get(space, key);
    if (record !== undefined && this.#isMine(record))
      await records.replace({ space, key, value: "{}", dueAt: 0 }, record.version);
    unreleased.delete(this.#mine);
  }

  /**
   * Waits for the role; `undefined` when `signal` aborts first. A store that does not answer is asked again.
   *
   * @param waiting - told when another host has it
   */
  async wait(signal: AbortSignal, waiting: () => void): Promise<HeldRole | undefined> {
    let isTold = false;
    while (!signal.aborted) {
      const asked = this.#wish.clock.monotonic();
      const isHeld = await this.hold().catch(() => undefined);
      if (isHeld === true) return this.#held(asked);
      if (isHeld === false && !isTold) waiting();
      isTold ||= isHeld === false;
      await sleep(this.#wish.clock, LOOK_MS, signal);
    }
    return undefined;
  }

  /** @param since - when it was asked whose it is, monotonic */
  #held(since: number): HeldRole {
    const { clock } = this.#wish;
    const lost = new AbortController();
    let confirmed = since;
    let cancel = (): void => undefined;
    const isHeld = (): boolean => {
      if (clock.monotonic() - confirmed >= SURE_MS) lost.abort();
      return !lost.signal.aborted;
    };
    const lookLater = (): void => {
      if (!lost.signal.aborted) cancel = clock.after(LOOK_MS, look);
    };
    const look = (): void => {
      if (!isHeld()) return;
      const asked = clock.monotonic();
      const late = clock.after(SILENCE_MS, () => lost.abort());
      cancel = late;
      void this.#isStillMine()
        .then(
          (isMine) => {
            if (!isMine) lost.abort();
            // What the store says was so when it was asked, however long the answer lay here.
            confirmed = asked;
          },
          () => {
            if (clock.monotonic() - confirmed >= SILENCE_MS) lost.abort();
          },
        )
        .finally(() => {
          late();
          lookLater();
        });
    };
    lookLater();
    return {
      lost: lost.signal,
      isHeld,
      [Symbol.asyncDispose]: async () => {
        lost.abort();
        cancel();
        await this.release();
      },
    };
  }

  async #isStillMine(): Promise<boolean> {
    const { records, space, key } = this.#wish;
    const record = await records.get(space, key);
    return record !== undefined && this.#isMine(record);
  }

  #isMine({ value, claim }: StoredRecord): boolean {
    return value === this.#mine && claim?.hostId === this.#wish.hostId;
  }
}

function hostIn({ value }: StoredRecord): unknown {
  const held: unknown = JSON.parse(value);
  return isJsonObject(held) ? held["host"] : undefined;
}
