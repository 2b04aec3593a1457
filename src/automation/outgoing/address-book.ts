import type { Clock, RandomHex } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { ENCODED } from "../../shared/crypto/standard-webhook.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Address } from "./address.ts";
import { OUTGOING_TYPES, type OutgoingType } from "./outgoing-event.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";

/** The parts of an address book. */
export interface AddressBookParts {
  /** The addresses as they are now. @throws HostError `config_invalid` for a file that cannot be read */
  readonly read: () => readonly Address[];
  /** Changes them as they are now, also while other processes do. */
  readonly write: (change: (known: readonly Address[]) => readonly Address[]) => Promise<void>;
  /** Finds out where an address leads. @throws HostError `fetch_refused` for where nothing may be sent */
  readonly checkUrl: (url: string) => Promise<unknown>;
  readonly clock: Pick<Clock, "now">;
  readonly hex: RandomHex;
}

/** The part of an address that somebody chooses. */
export interface AddressDraft {
  readonly url: string;
  /** All when empty. */
  readonly events: readonly string[];
  readonly includeText: boolean;
  readonly description: string;
}

const SECRET_BYTES = 32;
const ID_BYTES = 5;
const MOST = 100;

/** The addresses of a home that events are sent to. */
export class AddressBook {
  readonly #parts: AddressBookParts;

  constructor(parts: AddressBookParts) {
    this.#parts = parts;
  }

  /** In the order in which they were made. */
  list(): readonly Address[] {
    return this.#parts.read();
  }

  /** @throws HostError `not_found` */
  get(id: string): Address {
    const found = this.find(id);
    if (found === undefined) throw noAddress(id);
    return found;
  }

  find(id: string): Address | undefined {
    return this.list().find((address) => address.id === id);
  }

  /** Adds an address with a secret of its own. @throws HostError `invalid_params`, `fetch_refused`, `conflict` */
  async add(draft: AddressDraft): Promise<Address> {
    const { hex, clock, write } = this.#parts;
    const chosen = await this.#checked(draft);
    const now = clock.now();
    const address: Address = {
      id: `addr_${hex(ID_BYTES)}`,
      url: draft.url,
      events: [],
      include_text: draft.includeText,
      description: draft.description,
      ...chosen,
      secret: this.#newSecret(),
      enabled: true,
      created_at: now,
      since: now,
    };
    await write((known) => {
      if (known.length >= MOST)
        throw new HostError("conflict", `There are ${MOST} addresses already. Remove one first.`);
      return [...known, address];
    });
    return address;
  }

  /** Changes what somebody chose. @throws HostError `not_found`, `invalid_params`, `fetch_refused` */
  async change(id: string, patch: Partial<AddressDraft>): Promise<Address> {
    this.get(id);
    const chosen = await this.#checked(patch);
    return await this.#write(id, (address) => ({ ...address, ...chosen }));
  }

  /** Switches an address on, from now on, or off. @throws HostError `not_found` */
  turn(id: string, enabled: boolean): Promise<Address> {
    const now = this.#parts.clock.now();
    return this.#write(id, ({ off_reason: _before, ...address }) => ({
      ...address,
      enabled,
      since: enabled && !address.enabled ? now : address.since,
    }));
  }

  /** Switches an address off for a reason; `false` when it is off already, or not there any more. */
  async switchOff(id: string, reason: string): Promise<boolean> {
    let isDone = false;
    await this.#parts.write((known) =>
      known.map((address) => {
        if (address.id !== id || !address.enabled) return address;
        isDone = true;
        return { ...address, enabled: false, off_reason: reason };
      }),
    );
    return isDone;
  }

  /** Gives an address another secret; the old one counts no more. */
  renewSecret(id: string): Promise<Address> {
    const secret = this.#newSecret();
    return this.#write(id, (address) => ({ ...address, secret }));
  }

  async remove(id: string): Promise<Address> {
    const address = this.get(id);
    await this.#parts.write((known) => known.filter((each) => each.id !== id));
    return address;
  }

  async #write(id: string, change: (address: Address) => Address): Promise<Address> {
    let changed: Address | undefined;
    await this.#parts.write((known) =>
      known.map((each) => (each.id === id ? (changed = change(each)) : each)),
    );
    if (changed === undefined) throw noAddress(id);
    return changed;
  }

  async #checked({
    url,
    events,
    includeText,
    description,
  }: Partial<AddressDraft>): Promise<Partial<Address>> {
    if (url !== undefined) await this.#parts.checkUrl(url);
    return defined({ url, events: events?.map(typeNamed), include_text: includeText, description });
  }

  #newSecret(): string {
    return ENCODED + Buffer.from(this.#parts.hex(SECRET_BYTES), "hex").toString("base64");
  }
}

/** @throws HostError `invalid_params` */
function typeNamed(name: string): OutgoingType {
  const found = OUTGOING_TYPES.find((each) => each === name);
  if (found !== undefined) return found;
  const meant = nearestName(name, OUTGOING_TYPES);
  const hint = meant === undefined ? `They are ${OUTGOING_TYPES.join(", ")}.` : `Did you mean ${meant}?`;
  throw new HostError("invalid_params", `There is no event ${JSON.stringify(name.slice(0, 100))}. ${hint}`, {
    details: { subject: "events" },
  });
}

const noAddress = (id: string): HostError =>
  new HostError(
    "not_found",
    `There is no address ${JSON.stringify(id.slice(0, 100))}. \`agent webhook out list\` shows all.`,
  );
