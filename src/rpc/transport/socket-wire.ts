import type { Duplex } from "node:stream";
import { setImmediate as startTurn } from "node:timers";
import type { WebSocket } from "ws";
import type { Clock } from "../../shared/async/clock.ts";
import { SendWindow } from "../../jsonrpc/index.ts";
import type { Accept, Peer, Receiver, Wire } from "../wire.ts";

/** A client that does not take its goodbye is let go of after this. */
const GOODBYE_MS = 5000;
/** Bytes that WebSocket allows for a reason. */
const LONGEST_REASON = 120;

/** The parts of a connection on a WebSocket. */
export interface SocketWireOptions {
  readonly socket: WebSocket;
  /** The stream below the WebSocket. */
  readonly stream: Duplex;
  readonly clock: Clock;
  readonly accept: Accept;
  readonly gone: () => void;
  readonly peer?: Peer;
}

/** A connection on a WebSocket. */
export class SocketWire implements Wire {
  readonly heartbeat = true;
  readonly peer?: Peer;
  readonly #options: SocketWireOptions;
  readonly #window = new SendWindow();
  readonly #receiver: Receiver;
  #corked = false;
  #paused = false;
  /** The last ping is not answered yet. */
  #pinged = false;

  constructor(options: SocketWireOptions) {
    this.#options = options;
    const { socket, gone, peer } = options;
    if (peer !== undefined) this.peer = peer;
    socket.on("pong", () => (this.#pinged = false));
    // The close that follows says all there is to say.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#window.close();
      this.#receiver.closed();
      gone();
    });
    this.#receiver = options.accept(this);
    socket.on("message", (data) => this.#receiver.message(textOf(data)));
  }

  send(message: string): Promise<void> {
    const { socket } = this.#options;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    const room = this.#window.take(message.length);
    socket.send(message, () => this.#window.release(message.length));
    this.#cork();
    return room;
  }

  pause(): void {
    this.#paused = true;
    this.#options.socket.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#options.socket.resume();
  }

  close(code: number, reason: string): void {
    const { socket, clock } = this.#options;
    socket.close(code, shortened(reason));
    const cancel = clock.after(GOODBYE_MS, () => socket.terminate());
    socket.once("close", cancel);
  }

  /** Asks whether the other side is there; lets go of it when it did not answer the last time. */
  ping(): void {
    const { socket } = this.#options;
    // While nothing is read from it, its answer is not read either.
    if (this.#paused || socket.readyState !== socket.OPEN) return;
    if (this.#pinged) return socket.terminate();
    this.#pinged = true;
    socket.ping();
  }

  /** Everything that is sent in one turn of the event loop goes out with one call of the system. */
  #cork(): void {
    if (this.#corked) return;
    const { stream } = this.#options;
    this.#corked = true;
    stream.cork();
    startTurn(() => {
      this.#corked = false;
      stream.uncork();
    });
  }
}

function textOf(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}

function shortened(reason: string): string {
  return Buffer.byteLength(reason) <= LONGEST_REASON ? reason : `${reason.slice(0, LONGEST_REASON / 3)}…`;
}
