import type { Readable, Writable } from "node:stream";
import { type InputLine, OrderedWriter } from "../../jsonrpc/index.ts";
import { type Accept, LARGEST_MESSAGE, type Receiver, type Wire } from "../wire.ts";
import { FrameReader } from "./frame-reader.ts";

/** The reason why a connection is over. */
export type StreamEnd = "other side left" | "closed";

/** A connection on two byte streams. */
export interface StreamConnection {
  /** Resolves when it is over; everything that was asked before the end of the input is answered then. */
  readonly ended: Promise<StreamEnd>;
  /** Ends it, once what was sent is on its way. */
  stop(): Promise<void>;
}

/** The two ways of a stream, and how long its messages may be. */
export interface ServeStreamOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Bytes that a message may have; 40 MB by default. */
  readonly largest?: number;
}

/**
 * Serves one client on two byte streams, such as those of a process: a message a line, or with headers when the client
 * begins with them. Neither stream is closed.
 */
export function serveStream(accept: Accept, options: ServeStreamOptions): StreamConnection {
  return new StreamWire(accept, options);
}

class StreamWire implements Wire, StreamConnection {
  readonly heartbeat = false;
  readonly ended: Promise<StreamEnd>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #reader: FrameReader;
  readonly #writer: OrderedWriter;
  readonly #receiver: Receiver;
  readonly #ending = Promise.withResolvers<StreamEnd>();
  readonly #life = new AbortController();
  #greeted = false;

  constructor(accept: Accept, { input, output, largest = LARGEST_MESSAGE }: ServeStreamOptions) {
    this.#input = input;
    this.#output = output;
    this.ended = this.#ending.promise;
    this.#writer = new OrderedWriter(
      (text) =>
        new Promise((resolve) => {
          if (output.writable) output.write(text, () => resolve());
          else resolve();
        }),
    );
    this.#reader = new FrameReader(largest);
    this.#receiver = accept(this);
    this.#listen();
  }

  send(message: string): Promise<void> {
    if (this.#life.signal.aborted) return Promise.resolve();
    return this.#writer.send(this.#framed(message));
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    if (!this.#life.signal.aborted) this.#input.resume();
  }

  close(): void {
    void this.stop();
  }

  async stop(): Promise<void> {
    if (this.#life.signal.aborted) return;
    if (this.#output.writable) await this.#writer.drained();
    this.#end("closed");
  }

  #framed(message: string): string {
    if (this.#reader.framing === "headers") {
      return `Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`;
    }
    // A reader of lines ignores the CR; a reader of headers takes the first line for a header that it does not know.
    const end = this.#greeted ? "\n" : "\r\n";
    this.#greeted = true;
    return `${message}${end}`;
  }

  #receive(messages: Iterable<InputLine>): void {
    for (const message of messages) {
      if (message.type === "line") this.#receiver.message(message.text);
      else this.#receiver.tooLarge(message.size);
    }
  }

  #listen(): void {
    const data = (chunk: Uint8Array): void => this.#receive(this.#reader.push(chunk));
    const left = (): void => this.#end("other side left");
    const finished = (): void => {
      this.#receive(this.#reader.end());
      void this.#receiver
        .finish()
        .then(() => this.#writer.drained())
        .then(left);
    };
    this.#input.on("data", data).on("end", finished).on("error", left);
    this.#output.on("error", left).on("close", left);
    this.#life.signal.addEventListener("abort", () => {
      this.#input.off("data", data).off("end", finished).off("error", left).pause();
      this.#output.off("close", left);
    });
  }

  #end(how: StreamEnd): void {
    if (this.#life.signal.aborted) return;
    this.#life.abort();
    this.#writer.close();
    this.#receiver.closed();
    this.#ending.resolve(how);
  }
}
