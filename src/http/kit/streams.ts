import type { Clock } from "../../core/index.ts";
import type { ApiContext } from "./context.ts";
import { comment, SSE_HEADERS } from "./sse.ts";

export interface StreamLimits {
  /** Milliseconds without data after which a comment keeps the connection awake. */
  readonly keepAliveMs: number;
  /** Milliseconds that a reader may take nothing of what waits for it. */
  readonly stallMs: number;
}

/** Gives the text of an event stream, frame by frame (an empty one is passed over), until `signal` aborts: the reader left, or the server closes. */
export type Source = (signal: AbortSignal) => AsyncGenerator<string, void>;

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** What could not be sent as an answer any more. */
  readonly failed: (thrown: unknown) => string;
}

const HEARTBEAT_MS = 1000;
const ENCODER = new TextEncoder();

/**
 * The event streams that are open on a server. They pull: what is not taken is not made, so that a slow reader costs
 * a position and no memory.
 */
export class Streams {
  readonly #clock: Clock;
  readonly #limits: StreamLimits;
  readonly #open = new Set<OpenStream>();
  #farewell: string | undefined;
  #beating = false;

  constructor(clock: Clock, limits: StreamLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Answers with an event stream. */
  answer(c: ApiContext, source: Source, options: StreamOptions): Response {
    const { outgoing } = c.env ?? {};
    const stream = new OpenStream({
      source,
      failed: options.failed,
      clock: this.#clock,
      drop: () => void outgoing?.destroy(),
      closed: () => void this.#open.delete(stream),
    });
    if (this.#farewell !== undefined) stream.close(this.#farewell);
    else this.#open.add(stream);
    this.#beatLater();
    return c.newResponse(stream.body, { status: 200, headers: { ...SSE_HEADERS, ...options.headers } });
  }

  /** Tells every reader that the server goes, and ends the streams. */
  close(reason: string): void {
    this.#farewell = comment(reason);
    for (const stream of this.#open) stream.close(this.#farewell);
  }

  #beatLater(): void {
    if (this.#beating || this.#open.size === 0) return;
    this.#beating = true;
    this.#clock.after(HEARTBEAT_MS, () => this.#beat());
  }

  /** Streams that stay silent are kept awake; readers that take nothing are let go: they can come back. */
  #beat(): void {
    this.#beating = false;
    const { keepAliveMs, stallMs } = this.#limits;
    for (const stream of this.#open) stream.beat({ keepAliveMs, stallMs });
    this.#beatLater();
  }
}

interface StreamPorts {
  readonly source: Source;
  readonly failed: (thrown: unknown) => string;
  readonly clock: Clock;
  readonly drop: () => void;
  readonly closed: () => void;
}

/** One reader of one stream. */
class OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #ports: StreamPorts;
  readonly #life = new AbortController();
  readonly #frames: AsyncGenerator<string, void>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** The reader has taken all there was and waits for more. */
  #pulling = false;
  #movedAt: number;
  #farewell = "";
  #over = false;

  constructor(ports: StreamPorts) {
    this.#ports = ports;
    this.#movedAt = ports.clock.monotonic();
    this.#frames = ports.source(this.#life.signal);
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#pull(),
        cancel: () => this.#left(),
      },
      { highWaterMark: 0 },
    );
  }

  close(farewell: string): void {
    this.#farewell = farewell;
    this.#life.abort();
  }

  beat({ keepAliveMs, stallMs }: StreamLimits): void {
    const still = this.#ports.clock.monotonic() - this.#movedAt;
    const waits = this.#pulling && this.#controller?.desiredSize === 0;
    if (waits && still >= keepAliveMs) this.#send(KEEP_ALIVE);
    if (waits || still < stallMs) return;
    this.#ports.drop();
    this.#left();
  }

  async #pull(): Promise<void> {
    this.#pulling = true;
    const next = await this.#next();
    this.#pulling = false;
    if (this.#over) return;
    if (next !== undefined) return this.#send(next);
    if (this.#farewell !== "") this.#send(this.#farewell);
    this.#controller?.close();
    this.#left();
  }

  /** What comes next; `undefined` when nothing does. */
  async #next(): Promise<string | undefined> {
    try {
      for (;;) {
        const step = await this.#frames.next();
        if (step.done === true) return undefined;
        if (step.value !== "") return step.value;
      }
    } catch (thrown) {
      if (this.#life.signal.aborted) return undefined;
      const { failed } = this.#ports;
      this.#farewell = failed(thrown);
      return undefined;
    }
  }

  #send(text: string): void {
    this.#movedAt = this.#ports.clock.monotonic();
    this.#controller?.enqueue(ENCODER.encode(text));
  }

  #left(): void {
    if (this.#over) return;
    this.#over = true;
    this.#life.abort();
    this.#frames.return().catch(() => undefined);
    this.#ports.closed();
  }
}

const KEEP_ALIVE = comment("keepalive");
