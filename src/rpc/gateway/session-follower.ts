import type { Session, SessionEvent, TurnState } from "../../core/index.ts";
import { sleep } from "../../shared/async/clock.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { EventEncoder } from "../encode/event.ts";
import type { EventBody } from "../protocol/events.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { deltaFrame, type EventPlace } from "./event-frame.ts";

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
  /** The cursor of the last event that the client has. */
  readonly after: number;
  /** The turn that this cursor is in, if it is in one. */
  readonly turn: TurnState | undefined;
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
  readonly #encoder: EventEncoder;
  #after: number;
  #running: Promise<void> = Promise.resolve();

  constructor(options: SessionFollowerOptions) {
    this.#options = options;
    this.#after = options.after;
    this.#encoder = new EventEncoder(options.gateway, options.session, options.turn);
  }

  start(): void {
    if (this.#life.signal.aborted) return;
    this.#running = this.#run();
  }

  /** Tells what is in no log; the client's cursor stays where it is. */
  say(body: EventBody): void {
    if (!this.#life.signal.aborted) void this.#send(body, this.#after);
  }

  /** Resolves when nothing more of it can reach the client. */
  async stop(): Promise<void> {
    this.#life.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { gateway, session } = this.#options;
    const { signal } = this.#life;
    while (!signal.aborted) {
      try {
        for await (const event of session.events({ after: this.#after, signal })) await this.#show(event);
      } catch (thrown) {
        if (!(await this.#failed(thrown))) return this.#options.over();
        // A store that cannot be read now may be there again; the cursor stays where it is.
        await sleep(gateway.host.services.clock, RETRY_MS, signal);
      }
    }
  }

  async #show(event: SessionEvent): Promise<void> {
    if (event.type === "message.delta" || event.type === "reasoning.delta") {
      await this.#options.sink.write(deltaFrame(this.#options.session.id, event));
      this.#after = event.seq;
      return;
    }
    const encoded = this.#encoder.encode(event);
    const bodies = encoded instanceof Promise ? await encoded : encoded;
    const last = bodies.length - 1;
    for (const [index, body] of bodies.entries()) {
      if (this.#life.signal.aborted) return;
      // Only with the last of them the client has all of the event.
      await this.#send(body, index === last ? event.seq : this.#after);
    }
    this.#after = event.seq;
  }

  #send(body: EventBody, seq: number): Promise<void> {
    const { session, sink } = this.#options;
    return sink.send(body, { session: session.id, seq });
  }

  /** Tells the client; `false` when there is nothing to go on with. */
  async #failed(thrown: unknown): Promise<boolean> {
    const { gateway, session } = this.#options;
    const error = toHostError(thrown);
    if (this.#life.signal.aborted) return false;
    if (error.code === "session_not_found") {
      const payload = { session_id: session.id, stored_session_id: session.id, reason: "deleted" };
      await this.#send({ type: "session.reclaimed", payload }, this.#after);
      return false;
    }
    gateway.report(error);
    const payload = { message: error.message, code: error.code };
    await this.#send({ type: "error", payload }, this.#after);
    return !FINAL.has(error.code);
  }
}
