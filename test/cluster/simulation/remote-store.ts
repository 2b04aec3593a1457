import type {
  AppendOutcome,
  EncodedAppend,
  StoreBackend,
  StoreEvent,
  StoreOperationName,
} from "../../../src/providers/store/operations.ts";
import type { MemoryBackend } from "../../../src/providers/store/memory/memory-backend.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { sleep } from "../../../src/shared/async/clock.ts";
import { KeyedQueue } from "../../../src/shared/async/keyed-queue.ts";
import type { HostClock } from "./host-clock.ts";
import { type HostNetwork, Unanswered } from "./host-network.ts";
import { buryHost, repeatAppend } from "./store-repeats.ts";

/** Milliseconds after which a host that could not show that it lives stops, by its own clock: others wait for ten seconds. */
const STOP_AFTER_MS = 9000;
/** Milliseconds between two tries, and for how long one that holds nothing tries. */
const AGAIN_MS = 100;
const LONGEST_MS = 10_000;

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
  #isThere = false;
  #grants = 0;
  #losses = 0;
  #isLost = false;
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
    const losses = this.#losses;
    const answer = await this.#persist(async (again) => {
      if (again && !REPEATABLE.has(name)) throw unanswered(name);
      const at = this.#clock.monotonic();
      const value = await this.#network.call(name, () => this.#home.call(name, request));
      // What the try before has answered may be read and gone.
      if (name === "answer" && again) return [] as never;
      if (name === "takeOver" && value !== undefined && losses === this.#losses) this.#granted(at);
      return value;
    });
    const isOld = name === "takeOver" && losses !== this.#losses;
    if (answer === LOST || isOld) throw unanswered(name);
    return answer;
  };

  close(): Promise<void> {
    this.#cancel();
    return this.#home.close();
  }

  async #append(request: EncodedAppend): Promise<AppendOutcome> {
    const { fence } = request;
    const losses = this.#losses;
    const outcome = await this.#persist(async (again) => {
      const at = this.#clock.monotonic();
      const carryOut = (): Promise<AppendOutcome> =>
        again ? repeatAppend(this.#home, request) : this.#home.call("append", request);
      const answer = await this.#network.call("append", carryOut);
      if (answer.status === "ok" && answer.fence !== undefined && losses === this.#losses)
        if (fence === undefined) this.#granted(at);
      return answer;
    });
    // A host whose word has run out holds nothing any more, whatever the store says.
    if (outcome !== LOST && losses === this.#losses) return outcome;
    if (fence !== undefined) return { status: "fenced" };
    throw unanswered("append");
  }

  /** Shows that this host lives; `false` when it holds nothing. */
  async #beat(): Promise<boolean> {
    if (this.#isLost) return true;
    const at = this.#clock.monotonic();
    const grants = this.#grants;
    const losses = this.#losses;
    const holds = await this.#network.call("beat", () => this.#home.call("beat", { now: 0 }));
    if (losses !== this.#losses) return true;
    if (holds && this.#isThere) this.#renewed(at);
    if (!holds && grants === this.#grants) {
      this.#isThere = false;
      this.#cancel();
    }
    return holds || grants !== this.#grants;
  }

  /** Tries until the store answers, or this host's word has run out. */
  async #persist<T>(attempt: (again: boolean) => Promise<T>): Promise<T | typeof LOST> {
    const until = this.#clock.monotonic() + LONGEST_MS;
    for (let again = false; ; again = true) {
      if (this.#isLost && again) return LOST;
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
    this.#isLost = true;
    this.#losses += 1;
    this.#handle({ type: "lost" });
    void this.#bury(`${this.#home.context.host.id}~${this.#losses}`).then(() => {
      this.#isLost = false;
      this.#handle({ type: "buried" });
    });
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

const unanswered = (what: string): HostError =>
  new HostError(
    "store_unavailable",
    `The store did not answer: ${what}. It may have been done all the same.`,
  );
