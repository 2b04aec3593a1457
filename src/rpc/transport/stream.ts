import type { Readable, Writable } from "node:stream";
import { type InputLine, LineSplitter, OrderedWriter } from "../../jsonrpc/index.ts";
import { type Accept, LARGEST_MESSAGE, type Receiver, type Wire } from "../wire.ts";
import type { HeaderStream } from "./header-stream.ts";
import { MessageLimit } from "./message-limit.ts";

/** The reason why a connection is over. */
export type StreamEnd = "other side left" | "closed";

/** A connection on two byte streams. */
export interface StreamConnection {
  /**
   * Resolves when it is over; everything that was asked before the end of the input is answered then. Rejects when what
   * reads headers cannot be loaded.
   */
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

const BLANK = new Set([0x20, 0x09, 0x0d, 0x0a]);
/** `Content-Length` begins with it, and no JSON does. */
const HEADER_STARTS = new Set([0x43, 0x63]);

class StreamWire implements Wire, StreamConnection {
  readonly heartbeat = false;
  readonly ended: Promise<StreamEnd>;
  readonly #output: Writable;
  readonly #largest: number;
  readonly #lines: LineSplitter;
  readonly #writer: OrderedWriter;
  readonly #receiver: Receiver;
  readonly #ending = Promise.withResolvers<StreamEnd>();
  readonly #life = new AbortController();
  /** The stream from which messages are read. */
  #source: Readable;
  /** Set once the client has begun with headers. */
  #headers: Promise<HeaderStream> | undefined;
  #begun = false;
  #greeted = false;

  constructor(accept: Accept, { input, output, largest = LARGEST_MESSAGE }: ServeStreamOptions) {
    this.#source = input;
    this.#output = output;
    this.#largest = largest;
    this.ended = this.#ending.promise;
    this.#lines = new LineSplitter(largest);
    this.#writer = new OrderedWriter(
      (text) =>
        new Promise((resolve) => {
          if (output.writable) output.write(text, () => resolve());
          else resolve();
        }),
    );
    this.#receiver = accept(this);
    this.#listen(input);
  }

  send(message: string): Promise<void> {
    if (this.#life.signal.aborted) return Promise.resolve();
    if (this.#headers === undefined) return this.#writer.send(this.#line(message));
    return this.#headers.then(
      (headers) => headers.send(message),
      () => undefined,
    );
  }

  pause(): void {
    this.#source.pause();
  }

  resume(): void {
    if (!this.#life.signal.aborted) this.#source.resume();
  }

  close(): void {
    void this.stop();
  }

  async stop(): Promise<void> {
    if (this.#life.signal.aborted) return;
    if (this.#output.writable) await this.#drained();
    this.#end("closed");
  }

  #line(message: string): string {
    // A reader of lines ignores the CR; a reader of headers takes the first line for a header that it does not know.
    const end = this.#greeted ? "\n" : "\r\n";
    this.#greeted = true;
    return `${message}${end}`;
  }

  #listen(input: Readable): void {
    const { signal } = this.#life;
    const left = (): void => this.#end("other side left");
    const data = (chunk: Buffer): void => {
      if (!this.#begun && this.#begins(chunk) === "headers") {
        input.off("data", data).off("end", ended);
        this.#beginHeaders(input, chunk);
      } else this.#receive(this.#lines.push(chunk));
    };
    const ended = (): void => {
      this.#receive(this.#lines.end());
      this.#finish();
    };
    input.on("data", data).on("end", ended).on("error", left);
    this.#output.on("error", left).on("close", left);
    signal.addEventListener("abort", () => {
      input.off("data", data).off("end", ended).off("error", left).pause();
      this.#output.off("close", left);
    });
  }

  /** The first byte that is no blank decides: `C` begins headers, anything else a line. */
  #begins(chunk: Uint8Array): "headers" | "lines" {
    const first = chunk.find((byte) => !BLANK.has(byte));
    this.#begun = first !== undefined;
    return first !== undefined && HEADER_STARTS.has(first) ? "headers" : "lines";
  }

  /** From here on the client's messages have headers, and so have those to it. */
  #beginHeaders(input: Readable, begin: Buffer): void {
    const limit = new MessageLimit({
      largest: this.#largest,
      tooLarge: (bytes) => this.#receiver.tooLarge(bytes),
      invalid: (text) => this.#receiver.message(text),
    });
    this.#source = limit;
    this.#headers = this.#headerStream(limit);
    this.#headers.catch((thrown: unknown) => {
      this.#ending.reject(thrown);
      this.#end("closed");
    });
    this.#life.signal.addEventListener("abort", () => input.unpipe(limit));
    limit.on("end", () => this.#finish());
    limit.write(begin.subarray(begin.findIndex((byte) => !BLANK.has(byte))));
    input.pipe(limit);
  }

  async #headerStream(input: MessageLimit): Promise<HeaderStream> {
    // Only connections with headers load what reads and writes them.
    const [{ HeaderStream }] = await Promise.all([import("./header-stream.ts"), this.#writer.drained()]);
    return new HeaderStream({
      input,
      output: this.#output,
      receive: (text) => this.#life.signal.aborted || this.#receiver.message(text),
      broken: () => this.#end("other side left"),
    });
  }

  #receive(messages: Iterable<InputLine>): void {
    for (const message of messages) {
      if (message.type === "line") this.#receiver.message(message.text);
      else this.#receiver.tooLarge(message.size);
    }
  }

  /** Resolves when what was said is on its way; where headers cannot be written, nothing is. */
  async #drained(): Promise<void> {
    if (this.#headers === undefined) return await this.#writer.drained();
    await this.#headers.then(
      (headers) => headers.drained(),
      () => undefined,
    );
  }

  /** Nothing more comes: ends once everything that came is answered. */
  #finish(): void {
    void this.#receiver
      .finish()
      .then(() => this.#drained())
      .then(() => this.#end("other side left"));
  }

  #end(how: StreamEnd): void {
    if (this.#life.signal.aborted) return;
    this.#life.abort();
    this.#writer.close();
    void this.#headers?.then(
      (headers) => headers.close(),
      () => undefined,
    );
    this.#receiver.closed();
    this.#ending.resolve(how);
  }
}
