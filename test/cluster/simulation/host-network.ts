import type { StoreEvent } from "../../../src/providers/store/operations.ts";
import type { HostClock } from "./host-clock.ts";
import { type Channel, OneWay } from "./one-way.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** Milliseconds after which a host gives a request up. */
const TIMEOUT_MS = 5000;

/** A request that was not answered yet. */
interface Request {
  readonly connection: Connection;
  over: boolean;
  fail(reason: string): void;
}

/** A connection keeps the order of what goes along it, until it breaks. */
interface Connection {
  readonly requests: Channel;
  readonly answers: Channel;
  broken: boolean;
  /** The end of the store's last work for it. */
  done: Promise<unknown>;
}

/** A request of which nobody heard what became of it. */
export class Unanswered extends Error {}

/** The network between a simulated host and the store. */
export class HostNetwork {
  readonly toStore: OneWay;
  readonly fromStore: OneWay;
  /** Milliseconds that the store takes for each request, at most. */
  stall = 0;
  readonly #time: SimulatedTime;
  readonly #clock: HostClock;
  readonly #random: () => number;
  readonly #events: Channel;
  readonly #requests = new Set<Request>();
  #connection: Connection;

  constructor(time: SimulatedTime, clock: HostClock, random: () => number) {
    this.#time = time;
    this.#clock = clock;
    this.#random = random;
    this.toStore = new OneWay(time, random);
    this.fromStore = new OneWay(time, random);
    this.#events = this.fromStore.channel();
    this.#connection = this.#connect();
  }

  /**
   * Carries a request to the store and its answer back.
   *
   * @throws Unanswered
   */
  call<T>(name: string, carryOut: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const connection = this.#connection;
    const end = (settle: () => void): void => {
      request.over = true;
      this.#requests.delete(request);
      cancel();
      this.#clock.take(settle);
    };
    const request: Request = {
      connection,
      over: false,
      fail: (reason) => end(() => reject(new Unanswered(`${name}: ${reason}`))),
    };
    this.#requests.add(request);
    // Whoever gives a request up closes the connection, and all that is on it.
    const cancel = this.#clock.after(TIMEOUT_MS, () => this.#break(connection, "It took too long"));
    const answer = (settle: () => void): void =>
      connection.answers.send(() => (request.over ? undefined : end(settle)));
    connection.requests.send(() => {
      // From here on it is carried out, whatever becomes of the connection.
      if (request.over) return;
      const work = connection.done.then(() => this.#stalled()).then(carryOut);
      connection.done = work.catch(() => undefined);
      work.then(
        (value) => answer(() => resolve(value)),
        (thrown: unknown) => answer(() => reject(thrown)),
      );
    });
    return promise;
  }

  /** Carries an event of the store to the host. */
  event(event: StoreEvent, handle: (event: StoreEvent) => void): void {
    const connection = this.#connection;
    this.#events.send(() => {
      // Who connects anew asks what has moved; a command that was handed out is not handed out again.
      if (!connection.broken || event.type === "moved") this.#clock.take(() => handle(event));
    });
  }

  /** Breaks the connection: nobody hears any more what became of the requests on it. */
  reset(): void {
    this.#break(this.#connection, "The connection was reset");
  }

  /** It is as fast as it should be again. */
  hasten(): void {
    this.stall = 0;
    this.toStore.hasten();
    this.fromStore.hasten();
  }

  /** All is as it should be again. */
  heal(): void {
    this.hasten();
    this.toStore.open();
    this.fromStore.open();
  }

  #connect(): Connection {
    const requests = this.toStore.channel();
    return { requests, answers: this.fromStore.channel(), broken: false, done: Promise.resolve() };
  }

  #stalled(): Promise<void> {
    if (this.stall === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#time.after(this.#random() * this.stall, resolve);
    return promise;
  }

  #break(connection: Connection, reason: string): void {
    if (connection.broken) return;
    connection.broken = true;
    if (connection === this.#connection) this.#connection = this.#connect();
    for (const request of this.#requests) if (request.connection === connection) request.fail(reason);
  }
}
