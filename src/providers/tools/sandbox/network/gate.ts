import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { Clock } from "../../../../shared/async/clock.ts";
import { isPublicAddress } from "../../../../shared/net/public-address.ts";
import type { HostDecision, HostTarget, RefusedHost } from "../port.ts";
import type { HostList } from "./host-list.ts";

/** Options of the gate through which a sandbox reaches the network. */
export interface GateOptions {
  readonly hosts: HostList;
  readonly clock: Clock;
  /** Asks a person about a host that is not on the list, while the program waits; without it such hosts are refused. */
  readonly onUnlisted?: ((target: HostTarget) => Promise<HostDecision>) | undefined;
  /** Finds all addresses of a name; the system's way by default. */
  readonly resolve?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined;
  /** Tells of a target that a proxy of this network leads to, which may know names that this machine does not. */
  readonly isLedTo?: ((target: HostTarget) => boolean) | undefined;
}

/** The verdict on a target: where to connect, or why not. */
export type Passage =
  | {
      readonly passes: true;
      /** None where only a proxy of this network can find them. */
      readonly addresses: readonly string[];
      /** It is this machine or in an inner network: no proxy leads there. */
      readonly isNear: boolean;
    }
  | { readonly passes: false; readonly reason: RefusedHost["reason"] | "unknown" };

/** Refusals that are kept, and questions that may be open at a time. */
const MOST_KEPT = 200;
const MOST_ASKED = 16;

const systemResolve = (host: string): Promise<readonly LookupAddress[]> =>
  lookup(host, { all: true, verbatim: true });

/** Decides which hosts may be reached, and keeps what it refused. */
export class NetworkGate {
  readonly #options: GateOptions;
  readonly #refused = new Map<string, RefusedHost>();
  readonly #asking = new Map<string, Promise<HostDecision>>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** What was refused, the newest last, one entry a host and port. */
  get refused(): readonly RefusedHost[] {
    return [...this.#refused.values()];
  }

  async judge(target: HostTarget): Promise<Passage> {
    // A name that is not listed is not even looked up: the question itself could carry something out.
    if (!(await this.#mayReach(target))) return this.#refuse(target, "unlisted");
    const addresses = await this.#addressesOf(target);
    const { hosts, isLedTo } = this.#options;
    if (addresses.length === 0 && isLedTo?.(target) !== true) return { passes: false, reason: "unknown" };
    const inner = addresses.filter((address) => isInner(address));
    if (inner.some((address) => !hosts.names(address, target.port))) return this.#refuse(target, "private");
    return { passes: true, addresses, isNear: inner.length > 0 };
  }

  async #mayReach(target: HostTarget): Promise<boolean> {
    const { hosts, onUnlisted } = this.#options;
    if (hosts.allows(target)) return true;
    if (onUnlisted === undefined || (isIP(target.host) !== 0 && isInner(target.host))) return false;
    const key = keyOf(target);
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      if (this.#asking.size >= MOST_ASKED) return false;
      asking = onUnlisted(target).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    try {
      return (await asking) === "allow";
    } catch {
      return false; // Nobody decided: the next try asks again.
    }
  }

  async #addressesOf({ host }: HostTarget): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    const { resolve = systemResolve } = this.#options;
    try {
      return (await resolve(host)).map(({ address }) => address);
    } catch {
      return [];
    }
  }

  #refuse(target: HostTarget, reason: RefusedHost["reason"]): Passage {
    const key = keyOf(target);
    this.#refused.delete(key);
    this.#refused.set(key, { ...target, reason, at: this.#options.clock.now() });
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MOST_KEPT && oldest !== undefined) this.#refused.delete(oldest);
    return { passes: false, reason };
  }
}

const keyOf = ({ host, port }: HostTarget): string => `${host} ${port}`;

/** Whether an address is this machine's, by whichever of its numbers, or one of an inner network. */
function isInner(address: string): boolean {
  if (!isPublicAddress(address)) return true;
  return Object.values(networkInterfaces()).some((own) => own?.some((each) => each.address === address));
}
