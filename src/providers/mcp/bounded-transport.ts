import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../shared/async/clock.ts";
import { toHostError } from "../../shared/errors/host-error.ts";

/** Bytes of one message. */
export const LARGEST_SERVER_MESSAGE = 10 * 1024 * 1024;
export const TOO_LARGE = "it sent a message of more than 10 MB";
const FLOODED = "it sent more than 32 MB that nobody had asked for";

/** A way to a server that ends when the server sends too much: responses to this side's requests are not counted. */
export abstract class BoundedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #unanswered = new Set<string | number>();
  readonly #flow: FlowGuard;
  #endReason: string | undefined;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#flow = new FlowGuard(clock);
  }

  /** Why the connection ended; `undefined` when that was this side's wish. */
  get endReason(): string | undefined {
    return this.#endReason;
  }

  abstract start(): Promise<void>;
  abstract send(message: JSONRPCMessage): Promise<void>;

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.release();
    this.onclose?.();
  }

  protected get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Lets go of what is below. Called once. */
  protected abstract release(): Promise<void> | void;

  /** Ends the connection for a reason that is not this side's wish. */
  protected end(reason: string): void {
    if (this.#isClosed) return;
    this.#endReason = reason;
    this.onerror?.(new Error(reason));
    void this.close();
  }

  /** Takes note of a message that is sent. */
  protected sent(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) this.#unanswered.add(message.id);
  }

  /** Whether a message is a request of this side that has no response yet. */
  protected isUnanswered(message: JSONRPCMessage): message is JSONRPCMessage & { id: string | number } {
    return "method" in message && "id" in message && this.#unanswered.has(message.id);
  }

  /** Hands on a message of the server's. */
  protected receive(message: JSONRPCMessage, size: () => number): void {
    if (this.#isClosed) return;
    const answered = "method" in message ? undefined : message.id;
    if (answered === undefined || !this.#unanswered.delete(answered)) this.unasked(size());
    if (this.#isClosed) return;
    try {
      this.onmessage?.(message);
    } catch (thrown) {
      this.onerror?.(toHostError(thrown, "tool_failed"));
    }
  }

  /** Counts bytes that nobody had asked for. */
  protected unasked(bytes: number): void {
    if (!this.#flow.take(bytes)) this.end(FLOODED);
  }
}

/** Bytes that a server may send at once. */
const BURST = 32 * 1024 * 1024;
/** Bytes per millisecond that it may go on with for ever. */
const STEADY = 2048;

/** An account of the bytes that a server sends without being asked: complaints, notifications and noise. */
export class FlowGuard {
  readonly #clock: Clock;
  #level = 0;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** Counts bytes; `false` when that was too much. */
  take(bytes: number): boolean {
    const now = this.#clock.monotonic();
    this.#level = Math.max(0, this.#level - (now - this.#at) * STEADY) + bytes;
    this.#at = now;
    return this.#level <= BURST;
  }
}
