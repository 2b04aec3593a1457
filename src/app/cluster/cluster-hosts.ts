import type { HomeMachine, Records } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";

const SPACE = "cluster.host";
const MOST = 1000;

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
  readonly advertise?: string;
}

/** The hosts that share a store: each notes that it is there, and its heartbeat says that it still is. */
export class ClusterHosts implements AsyncDisposable {
  readonly #parts: ClusterHostsParts;

  constructor(parts: ClusterHostsParts) {
    this.#parts = parts;
  }

  /** Notes that this host is there, until it is disposed of or dies. */
  async join(): Promise<void> {
    const { records, hostId: key, machine, advertise } = this.#parts;
    // What hosts left that died: nobody else removes it.
    for (const { hostId, alive } of await this.all())
      if (!alive && hostId !== key) await records.remove(SPACE, hostId);
    const value = JSON.stringify({ name: machine.name, ...defined({ advertise }) });
    await records.put({ space: SPACE, key, parent: machine.id, value, claim: true });
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.records.remove(SPACE, this.#parts.hostId);
  }
}
