import type { Clock } from "../../shared/async/clock.ts";
import type { HttpContext } from "./context.ts";
import { sseComment, SSE_HEADERS } from "./encode-sse.ts";
import { RESPONSE_ALREADY_SENT } from "./server.ts";

/** The limits of event streams. */
export interface EventStreamLimits {
  /** Milliseconds without data after which a comment keeps the connection awake. */
  readonly keepAliveMs: number;
  /** Milliseconds that a reader may take nothing of what waits for it. */
  readonly stallMs: number;
}

/**
 * A source of the text of an event stream, frame by frame (empty ones are skipped), until `signal` aborts: the reader
 * left, or the server closes.
 */
export type SseSource = (signal: AbortSignal) => AsyncGenerator<string, void>;

/** The options of an event stream. */
export interface EventStreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the last frames of a stream that failed. */
  readonly failed: (thrown: unknown) => string;
}

const HEARTBEAT_MS = 1000;
type Outgoing = NonNullable<NonNullable<HttpContext["env"]>["outgoing"]>;

/**
 * The event streams that are open on a server. They pull: a frame is made when the reader takes it, so that a slow
 * reader costs a position and no memory.
 */
export class EventStreams {
  readonly #clock: Clock;
  readonly #limits: EventStreamLimits;
  readonly #open = new Set<OpenStream>();
  #farewell: string | undefined;
  #beating = false;

  constructor(clock: Clock, limits: EventStreamLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  answer(c: HttpContext, source: SseSource, { headers, failed }: EventStreamOptions): Response {
    const response = c.newResponse(null, { status: 200, headers: { ...SSE_HEADERS, ...headers } });
    // Whoever asks for the headers alone reads no stream, and may have another request on the same connection.
    if (c.req.method === "HEAD") return response;
    const { outgoing } = c.env ?? {};
    const closed = (): void => void this.#open.delete(stream);
    const stream: OpenStream = new OpenStream({ source, failed, clock: this.#clock, closed });
    if (this.#farewell !== undefined) stream.close(this.#farewell);
    else this.#open.add(stream);
    this.#beatLater();
    if (outgoing === undefined) return new Response(stream.body(), response);
    outgoing.writeHead(200, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    void stream.pump(outgoing);
    return RESPONSE_ALREADY_SENT;
  }

  /** Tells every reader that the server goes, and ends the streams. */
  close(reason: string): void {
    this.#farewell = sseComment(reason);
    for (const stream of this.#open) stream.close(this.#farewell);
  }

  #beatLater(): void {
    if (this.#beating || this.#open.size === 0) return;
    this.#beating = true;
    this.#clock.after(HEARTBEAT_MS, () => this.#beat());
  }

  /** Keeps silent streams awake, and lets go of readers that take nothing: they can come back. */
  #beat(): void {
    this.#beating = false;
    for (const stream of this.#open) stream.beat(this.#limits);
    this.#beatLater();
  }
}

interface StreamPorts extends Pick<EventStreamOptions, "failed"> {
  readonly source: SseSource;
  readonly clock: Clock;
  readonly closed: () => void;
}

/** One reader of one stream. */
class OpenStream {
  readonly #ports: StreamPorts;
  readonly #life = new AbortController();
  readonly #frames: AsyncGenerator<string, void>;
  #outgoing: Outgoing | undefined;
  /** The reader has taken everything and waits for more. */
  #waits = false;
  #movedAt: number;
  #farewell = "";
  #over = false;

  constructor(ports: StreamPorts) {
    this.#ports = ports;
    this.#movedAt = ports.clock.monotonic();
    this.#frames = ports.source(this.#life.signal);
  }

  /** Writes frames as fast as the reader takes them: straight to its connection, which costs least. */
  async pump(outgoing: Outgoing): Promise<void> {
    // The client has left already.
    if (outgoing.closed) return this.#left();
    this.#outgoing = outgoing;
    // A write to a connection that has just broken is reported as an error of the connection.
    outgoing.once("close", () => this.#left()).on("error", () => this.#left());
    for (;;) {
      this.#waits = true;
      const text = await this.#next();
      this.#waits = false;
      if (this.#over) return;
      if (text === undefined) break;
      if (!this.#write(text) && !outgoing.closed) await drained(outgoing);
    }
    if (this.#farewell !== "") this.#write(this.#farewell);
    outgoing.end();
    this.#left();
  }

  /** The same where there is no connection. */
  body(): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const text = (await this.#next()) ?? "";
        if (text !== "") return controller.enqueue(encoder.encode(text));
        if (this.#farewell !== "") controller.enqueue(encoder.encode(this.#farewell));
        controller.close();
        this.#left();
      },
      cancel: () => this.#left(),
    });
  }

  close(farewell: string): void {
    this.#farewell = farewell;
    this.#life.abort(READING_OVER);
  }

  beat({ keepAliveMs, stallMs }: EventStreamLimits): void {
    const still = this.#ports.clock.monotonic() - this.#movedAt;
    const takesAll = this.#waits && this.#outgoing?.writableLength === 0;
    if (takesAll && still >= keepAliveMs) this.#write(KEEP_ALIVE);
    if (takesAll || still < stallMs) return;
    this.#outgoing?.destroy();
    this.#left();
  }

  /** Gives the next text; `undefined` at the end. */
  async #next(): Promise<string | undefined> {
    try {
      for (;;) {
        const step = await this.#frames.next();
        if (step.done === true) return undefined;
        if (step.value !== "") return step.value;
      }
    } catch (thrown) {
      if (this.#life.signal.aborted) return undefined;
      this.#farewell = this.#ports.failed(thrown);
      return undefined;
    }
  }

  /** `false`: the reader must take something before there is more. */
  #write(text: string): boolean {
    this.#movedAt = this.#ports.clock.monotonic();
    return this.#outgoing?.write(text) ?? false;
  }

  #left(): void {
    if (this.#over) return;
    this.#over = true;
    this.#life.abort(READING_OVER);
    this.#frames.return().catch(() => undefined);
    this.#ports.closed();
  }
}

/** Made once: an error of its own for the end of each stream costs as much as a frame. */
const READING_OVER = new Error("The stream is over.");

/** Resolves when there is room again, or nobody is there any more. */
function drained(outgoing: Outgoing): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    outgoing.off("drain", done).off("close", done);
    resolve();
  };
  outgoing.on("drain", done).on("close", done);
  return promise;
}

const KEEP_ALIVE = sseComment("keepalive");
