import type { Clock, HomeMachine, Records } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";

const SPACE = "cluster.host";
const MOST = 1000;
/** Milliseconds between two looks whether this host still counts as there. */
const LOOK_MS = 10_000;

/** A host of the cluster, as it says of itself. */
export interface ClusterHost {
  readonly hostId: string;
  readonly machine: HomeMachine;
  /** Where other machines reach it. */
  readonly advertise?: string;
  readonly alive: boolean;
}

/** The parts of the list of hosts. */
export interface ClusterHostsParts {
  readonly records: Records;
  readonly hostId: string;
  readonly machine: HomeMachine;
  readonly clock: Clock;
  readonly advertise?: string;
}

/** The hosts that share a store: each notes that it is there, and its heartbeat says that it still is. */
export class ClusterHosts implements AsyncDisposable {
  readonly #parts: ClusterHostsParts;
  #cancel: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();
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
    this.#lookLater();
  }

  async all(): Promise<readonly ClusterHost[]> {
    return await this.#list({});
  }

  /** Whether a host of a machine lives. */
  async isThere(machine: string): Promise<boolean> {
    return (await this.#list({ parent: machine })).some(({ alive }) => alive);
  }

  async #list(of: { readonly parent?: string }): Promise<readonly ClusterHost[]> {
    const found = await this.#parts.records.list({ space: SPACE, limit: MOST, ...of });
    return found.map(({ key: hostId, parent = "", value, claim }) => {
      const said: unknown = JSON.parse(value);
      const { name, advertise } = isJsonObject(said) ? said : {};
      const address = typeof advertise === "string" ? advertise : undefined;
      const machine = { id: parent, name: String(name) };
      return { hostId, machine, alive: claim?.alive === true, ...defined({ advertise: address }) };
    });
  }

  async #note(): Promise<void> {
    const { records, hostId: key, machine, advertise } = this.#parts;
    const value = JSON.stringify({ name: machine.name, ...defined({ advertise }) });
    await records.put({ space: SPACE, key, parent: machine.id, value, claim: true });
  }

  #lookLater(): void {
    if (this.#isOver) return;
    this.#cancel = this.#parts.clock.after(LOOK_MS, () => {
      // While the store does not answer nobody can be told.
      this.#looking = this.#remain()
        .catch(() => undefined)
        .then(() => this.#lookLater());
    });
  }

  /** A host that was cut off for long counts as dead from then on, and may be forgotten: it says anew that it is there. */
  async #remain(): Promise<void> {
    const { records, hostId } = this.#parts;
    const record = await records.get(SPACE, hostId);
    if (record?.claim?.hostId !== hostId && !this.#isOver) await this.#note();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#cancel();
    await this.#looking;
    await this.#parts.records.remove(SPACE, this.#parts.hostId);
  }
}
