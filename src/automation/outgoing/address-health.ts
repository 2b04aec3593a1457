import type { Clock, Records } from "../../core/index.ts";
import type { Address } from "./address.ts";

/** The parts of the health of addresses. */
export interface AddressHealthParts {
  readonly records: Records;
  readonly clock: Pick<Clock, "now">;
  /** Switches an address off, and tells people. */
  readonly switchOff: (address: Address, reason: string) => Promise<void>;
}

/** The failure of an address. */
export interface AddressFailure {
  /** Unix milliseconds of the first failed try since the last good one. */
  readonly since: number;
  /** What went wrong last. */
  readonly error: string;
}

const SPACE = "outgoing.failing";
const DAY_MS = 24 * 3_600_000;
const PATIENCE_MS = 3 * DAY_MS;

/** The health of addresses: one that has taken nothing for three days is switched off. */
export class AddressHealth {
  readonly #parts: AddressHealthParts;

  constructor(parts: AddressHealthParts) {
    this.#parts = parts;
  }

  /** The failure of an address; `undefined` when its last try was good. */
  async failure(id: string): Promise<AddressFailure | undefined> {
    const record = await this.#parts.records.get(SPACE, id);
    // Only this file writes this space.
    return record && (JSON.parse(record.value) as AddressFailure);
  }

  /** Notes that an address took something, or begins anew. */
  async worked(id: string): Promise<void> {
    await this.#parts.records.remove(SPACE, id);
  }

  /** Notes that an address took nothing. */
  async failed(address: Address, error: string): Promise<void> {
    const { records, clock, switchOff } = this.#parts;
    const now = clock.now();
    const { since } = (await this.failure(address.id)) ?? { since: now };
    await records.put({ space: SPACE, key: address.id, value: JSON.stringify({ since, error }) });
    if (now - since < PATIENCE_MS) return;
    await switchOff(address, `It has failed for ${Math.floor((now - since) / DAY_MS)} days: ${error}`);
  }

  /** Notes that an address says that it will never take anything again. */
  gone(address: Address): Promise<void> {
    return this.#parts.switchOff(address, "It answered 410: it is gone.");
  }
}
