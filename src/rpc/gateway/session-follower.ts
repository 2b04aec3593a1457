import { isDelta, type Session, type SessionEvent, type TextEvent } from "../../core/index.ts";
import { sleep } from "../../shared/async/clock.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { encoderAfter, type EventEncoder } from "../encode/event.ts";
import type { EventBody } from "../protocol/events.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { seconds } from "../encode/time.ts";
import { deltaFrame, type EventPlace } from "./event-frame.ts";
import { cursorOf, numbered } from "./event-numbers.ts";

/** The number of an event, and when it happened. */
type Moment = Pick<EventPlace, "seq" | "at">;

/** The place to which a reader's events go. */
interface FollowSink {
  /** Resolves when the client may get the next one: the reader pulls no faster than the client takes. */
  send(event: EventBody, at: EventPlace): Promise<void>;
  /** The same for one that is written already. */
  write(frame: string): Promise<void>;
}

/** The options of a session follower. */
export interface SessionFollowerOptions {
  readonly gateway: GatewayContext;
  readonly session: Session;
  /** The number of the last event that the client has. */
  readonly seen: number;
  readonly sink: FollowSink;
  /** Called when there is nothing more to read: the session is gone, or cannot be read. */
  readonly over: () => void;
}

const RETRY_MS = 1000;
/** The errors that trying again does not mend. */
const FINAL = new Set(["session_not_found", "session_damaged"]);

/**
 * One connection's reading of one session. It keeps a cursor, not a queue: a client that takes nothing costs nothing,
 * and goes on where it stopped.
 */
export class SessionFollower {
  readonly #options: SessionFollowerOptions;
  readonly #life = new AbortController();
  /** What is up to here happened before the client came. */
  readonly #past: number;
  /** The cursor of the last event of the log that the client has all of. */
  #after: number;
  #seen: number;
  #running: Promise<void> = Promise.resolve();
  /** Text that was sent at once, until the client may get more. */
  #sending: Promise<void> | undefined;

  constructor(options: SessionFollowerOptions) {
    this.#options = options;
    this.#after = cursorOf(options.seen);
    this.#seen = options.seen;
    this.#past = options.session.cursor;
  }

  start(): void {
    if (this.#life.signal.aborted) return;
    this.#running = this.#run();
  }

  /** Tells what is in no log. */
  say(body: EventBody): void {
    if (!this.#life.signal.aborted) void this.#send(body);
  }

  /** Resolves when nothing more of it can reach the client. */
  async stop(): Promise<void> {
    this.#life.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { gateway, session } = this.#options;
    const { signal } = this.#life;
    const take = (event: SessionEvent): boolean => this.#takeAtOnce(event);
    while (!signal.aborted) {
      try {
        const encode = await encoderAfter(this.#after, gateway, session);
        for await (const event of session.events({ after: this.#after, signal, take })) {
          if (this.#sending !== undefined) await this.#sending;
          await this.#show(event, encode);
        }
      } catch (thrown) {
        if (!(await this.#failed(thrown))) return this.#options.over();
        // A store that cannot be read now may be there again; the cursor stays where it is.
        await sleep(gateway.host.services.clock, RETRY_MS, signal);
      }
    }
  }

  /** Sends text to a client that keeps up, before anything else is done. */
  #takeAtOnce(event: SessionEvent): boolean {
    if (this.#sending !== undefined || !isDelta(event)) return false;
    this.#sending = this.#sendText(event).finally(() => (this.#sending = undefined));
    return true;
  }

  async #sendText(event: TextEvent): Promise<void> {
    this.#after = event.seq;
    await this.#options.sink.write(deltaFrame(this.#options.session.id, event));
  }

  async #show(event: SessionEvent, encode: EventEncoder): Promise<void> {
    if (isDelta(event)) return await this.#sendText(event);
    const encoded = encode(event);
    const bodies = encoded instanceof Promise ? await encoded : encoded;
    // A live event carries the cursor of the one before it: it is in no log.
    if (event.seq === this.#after) return await this.#sendAll(bodies.map((body) => ({ body })));
    const late = event.seq > this.#past ? {} : { at: seconds(event.at) };
    await this.#sendAll(numbered(event, bodies, this.#seen).map((each) => ({ ...each, ...late })));
    this.#after = event.seq;
  }

  async #sendAll(events: readonly ({ readonly body: EventBody } & Moment)[]): Promise<void> {
    for (const { body, ...moment } of events) {
      if (this.#life.signal.aborted) return;
      await this.#send(body, moment);
      this.#seen = moment.seq ?? this.#seen;
    }
  }

  #send(body: EventBody, moment: Moment = {}): Promise<void> {
    const { session, sink } = this.#options;
    return sink.send(body, { session: session.id, ...moment });
  }

  /** Tells the client; `false` when there is nothing to go on with. */
  async #failed(thrown: unknown): Promise<boolean> {
    const { gateway, session } = this.#options;
    const error = toHostError(thrown);
    if (this.#life.signal.aborted) return false;
    if (error.code === "session_not_found") {
      const payload = { session_id: session.id, stored_session_id: session.id, reason: "deleted" };
      await this.#send({ type: "session.reclaimed", payload });
      return false;
    }
    gateway.report(error);
    const payload = { message: error.message, code: error.code };
    await this.#send({ type: "error", payload });
    return !FINAL.has(error.code);
  }
}
