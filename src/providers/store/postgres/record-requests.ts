/** More than a host that hears nothing makes in one space before its word runs out: what it claimed is there for all then. */
const LOST_KEPT = 64;

/** The requests of one host that change records, as far as their answers may be lost. */
export class RecordRequests {
  readonly #hostId: string;
  #count = 0;
  /** One that is made again, because its answer was lost, is the same object. */
  readonly #names = new WeakMap<object, string>();
  #removed: readonly number[] = [];
  readonly #lostClaims = new Map<string, readonly string[]>();

  constructor(hostId: string) {
    this.#hostId = hostId;
  }

  /** Gives a name that no other request has. */
  newName(): string {
    return `${this.#hostId}-${(this.#count += 1)}`;
  }

  /** Gives a request its name, the same each time it is made. */
  nameOf(request: object): { readonly name: string; readonly again: boolean } {
    const known = this.#names.get(request);
    const name = known ?? this.newName();
    this.#names.set(request, name);
    return { name, again: known !== undefined };
  }

  /** Notes the place of a record that this host removed and knows of. */
  noteRemoved(position: number): void {
    this.#removed = [...this.#removed, position];
  }

  /** Gives the places that were noted, once: the next removal deletes them. */
  takeRemoved(): readonly number[] {
    const removed = this.#removed;
    this.#removed = [];
    return removed;
  }

  /** Notes a claim whose answer was lost: it may be carried out at any time. */
  noteLostClaim(space: string, name: string): void {
    this.#lostClaims.set(space, [...this.lostClaims(space), name].slice(-LOST_KEPT));
  }

  /** The names of the lost claims of a space. */
  lostClaims(space: string): readonly string[] {
    return this.#lostClaims.get(space) ?? [];
  }
}
