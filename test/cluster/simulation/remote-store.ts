import type {
  AppendOutcome,
  EncodedAppend,
  StoreBackend,
  StoreEvent,
  StoreInput,
  StoreOperationName,
  StoreOperations,
} from "../../../src/providers/store/operations.ts";
import type { MemoryBackend } from "../../../src/providers/store/memory/memory-backend.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { sleep } from "../../../src/shared/async/clock.ts";
import { KeyedQueue } from "../../../src/shared/async/keyed-queue.ts";
import type { HostClock } from "./host-clock.ts";
import { type HostNetwork, Unanswered } from "./host-network.ts";
import { buryHost, giveBack, leasesOf, repeatAppend, repeatTakeOver } from "./store-repeats.ts";

/** Milliseconds after which a host that could not show that it lives stops, by its own clock: others wait for ten seconds. */
const STOP_AFTER_MS = 9000;
/** Milliseconds between two tries, and for how long one that holds nothing tries. */
const AGAIN_MS = 100;
const LONGEST_MS = 10_000;
/** Beats between two looks for leases that this host does not know of. */
const LOOK_EVERY = 5;

/** Operations that a store does for itself. */
const OWN: ReadonlySet<StoreOperationName> = new Set(["watch", "unwatch", "listen", "stats"]);

/** Operations that may be carried out twice. */
const REPEATABLE: ReadonlySet<StoreOperationName> = new Set([
  "read",
  "readBefore",
  "feed",
  "findSession",
  "list",
  "rebuildState",
  "saveRebuiltState",
  "answerer",
  "hosts",
  "holder",
  "answer",
  "forgetHost",
  // Finds that it was carried out.
  "takeOver",
]);

/** The options of a remote store. */
interface RemoteStoreOptions {
  readonly clock: HostClock;
  readonly network: HostNetwork;
  /** It stops when it could not show for too long that it lives. */
  readonly stops: boolean;
}

/**
 * The end of a store at a host that reaches its home over a network, as one whose database is elsewhere: it tries again what may be tried
 * again, and counts all that it holds as lost when it could not show for too long that it lives.
 */
export class RemoteStore implements StoreBackend {
  readonly #home: MemoryBackend;
  readonly #clock: HostClock;
  readonly #network: HostNetwork;
  readonly #stops: boolean;
  readonly #handle: (event: StoreEvent) => void;
  readonly #never = new AbortController();
  /** The appends of a session go one after the other, as to every store: one that is tried again keeps its place. */
  readonly #appends = new KeyedQueue();
  /** The sessions that this host knows to be its own. */
  readonly #held = new Set<string>();
  /** Leases that it did not know of at the last look, with their fences. */
  #unheard: ReadonlyMap<string, number> = new Map();
  #beats = 0;
  #looks = 0;
  #isThere = false;
  #grants = 0;
  #losses = 0;
  /** Its word has run out, and what it held is not given to the others yet. */
  #burying: Promise<void> | undefined;
  #cancel: () => void = () => undefined;

  constructor(
    home: MemoryBackend,
    handle: (event: StoreEvent) => void,
    { clock, network, stops }: RemoteStoreOptions,
  ) {
    this.#home = home;
    this.#handle = handle;
    this.#clock = clock;
    this.#network = network;
    this.#stops = stops;
  }

  /** An event of the home. */
  readonly hear = (event: StoreEvent): void => this.#network.event(event, this.#handle);

  readonly call: StoreBackend["call"] = async (name, given) => {
    if (OWN.has(name)) return await this.#home.call(name, given);
    // What the caller changes later is not what was sent.
    const request = structuredClone(given);
    // Each operation is answered with what the one of its name returns.
    if (name === "append") {
      const append = request as EncodedAppend;
      return (await this.#appends.run(append.session, () => this.#append(append))) as never;
    }
    if (name === "beat") return (await this.#beat()) as never;
    if (name === "takeOver") return (await this.#takeOver(request as StoreInput<"takeOver">)) as never;
    const answer = await this.#persist(async (again) => {
      if (again && !REPEATABLE.has(name)) throw unanswered(name);
      const value = await this.#network.call(name, () => this.#home.call(name, request));
      // What the try before has answered may be read and gone.
      return name === "answer" && again ? ([] as never) : value;
    });
    if (answer === LOST) throw unanswered(name);
    return answer;
  };

  close(): Promise<void> {
    this.#cancel();
    return this.#home.close();
  }

  async #append(request: EncodedAppend): Promise<AppendOutcome> {
    const { session, fence } = request;
    const losses = this.#losses;
    if (this.#burying !== undefined) return lost(request);
    const outcome = await this.#persist(async (again) => {
      const at = this.#clock.monotonic();
      const isUnheard = !this.#held.has(session);
      const carryOut = (): Promise<AppendOutcome> =>
        again ? repeatAppend(this.#home, request, isUnheard) : this.#home.call("append", request);
      const answer = await this.#network.call("append", carryOut);
      if (answer.status === "ok" && answer.fence !== undefined && losses === this.#losses)
        if (fence === undefined) this.#granted(at);
      return answer;
    });
    // A host whose word has run out holds nothing any more, whatever the store says.
    if (outcome === LOST || losses !== this.#losses) return lost(request);
    if (outcome.status === "ok" && outcome.fence !== undefined) this.#held.add(session);
    else if (outcome.status === "ok" || outcome.status === "fenced") this.#held.delete(session);
    return outcome;
  }

  async #takeOver(request: StoreInput<"takeOver">): Promise<ReturnType<StoreOperations["takeOver"]>> {
    await this.#burying;
    const losses = this.#losses;
    const answer = await this.#persist(async (again) => {
      const at = this.#clock.monotonic();
      const { session } = request;
      const carryOut = () =>
        again && !this.#held.has(session)
          ? repeatTakeOver(this.#home, request)
          : this.#home.call("takeOver", request);
      const lease = await this.#network.call("takeOver", carryOut);
      if (lease !== undefined && losses === this.#losses) {
        this.#granted(at);
        this.#held.add(session);
      }
      return lease;
    });
    if (answer === LOST || losses !== this.#losses) throw unanswered("takeOver");
    return answer;
  }

  /** Shows that this host lives; `false` when it holds nothing. */
  async #beat(): Promise<boolean> {
    if (this.#burying !== undefined) return true;
    const at = this.#clock.monotonic();
    const grants = this.#grants;
    const losses = this.#losses;
    const holds = await this.#network.call("beat", () => this.#home.call("beat", { now: 0 }));
    if (losses !== this.#losses) return true;
    if (holds && this.#isThere) this.#renewed(at);
    if (!holds && grants === this.#grants) {
      // Whoever forgot it took it for dead.
      if (this.#held.size > 0) this.#lose();
      this.#isThere = false;
      this.#cancel();
    }
    this.#beats += 1;
    if (this.#beats % LOOK_EVERY === 0) void this.#giveBackUnheard().catch(() => undefined);
    return holds || grants !== this.#grants;
  }

  /** Gives back what is its own by the home without its knowing: what took it was carried out after it had been given up. */
  async #giveBackUnheard(): Promise<void> {
    const found = await this.#network.call("look", async () => leasesOf(this.#home));
    const before = this.#unheard;
    this.#unheard = new Map([...found].filter(([session]) => !this.#held.has(session)));
    const unheard = [...this.#unheard].filter(([session, fence]) => before.get(session) === fence);
    if (unheard.length === 0) return;
    this.#looks += 1;
    const name = `${this.#home.context.host.id}~u${this.#looks}`;
    await this.#network.call("give back", async () => {
      // It may have heard of some on the way.
      giveBack(this.#home, name, new Map(unheard.filter(([session]) => !this.#held.has(session))));
    });
    this.#handle({ type: "buried" });
  }

  /** Tries until the store answers, or this host's word has run out. */
  async #persist<T>(attempt: (again: boolean) => Promise<T>): Promise<T | typeof LOST> {
    const until = this.#clock.monotonic() + LONGEST_MS;
    for (let again = false; ; again = true) {
      if (this.#burying !== undefined && again) return LOST;
      try {
        return await attempt(again);
      } catch (thrown) {
        if (!(thrown instanceof Unanswered)) throw thrown;
        if (!this.#isThere && this.#clock.monotonic() > until) throw unanswered(thrown.message);
      }
      await sleep(this.#clock, AGAIN_MS, this.#never.signal);
    }
  }

  #granted(at: number): void {
    this.#isThere = true;
    this.#grants += 1;
    this.#renewed(at);
  }

  #renewed(at: number): void {
    this.#cancel();
    if (!this.#stops) return;
    this.#cancel = this.#clock.after(at + STOP_AFTER_MS - this.#clock.monotonic(), () => this.#lose());
  }

  #lose(): void {
    this.#isThere = false;
    this.#cancel();
    this.#losses += 1;
    this.#held.clear();
    this.#burying = this.#bury(`${this.#home.context.host.id}~${this.#losses}`).then(() => {
      this.#burying = undefined;
      this.#handle({ type: "buried" });
    });
    this.#handle({ type: "lost" });
  }

  /** Gives what was lost to the others, under the name of a host that ended. */
  async #bury(name: string): Promise<void> {
    for (;;) {
      try {
        return await this.#network.call("bury", async () => buryHost(this.#home, name));
      } catch {
        await sleep(this.#clock, AGAIN_MS, this.#never.signal);
      }
    }
  }
}

const LOST = Symbol("lost");

/** What an append comes to when this host's word has run out. */
function lost({ fence }: EncodedAppend): AppendOutcome {
  if (fence !== undefined) return { status: "fenced" };
  throw unanswered("append");
}

const unanswered = (what: string): HostError =>
  new HostError(
    "store_unavailable",
    `The store did not answer: ${what}. It may have been done all the same.`,
  );
