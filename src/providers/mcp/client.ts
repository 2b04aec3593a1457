import { settledOrAborted, within } from "../../shared/async/deadline.ts";
import { type HostError, toolFailed } from "../../shared/errors/host-error.ts";
import { sleep } from "../../shared/async/clock.ts";
import { McpConnection } from "./connection.ts";
import { mcpFailureText, isSessionGone, isUnreachable } from "./failure.ts";
import type { Listing } from "./listing.ts";
import { CONNECT_MS, type McpServer } from "./server.ts";
import type { McpHost } from "./host.ts";

/** The state of a server. The tools of one that is being connected anew are kept until that has failed. */
export type McpClientState =
  | { readonly status: "disabled" }
  | { readonly status: "connecting" }
  | { readonly status: "connected" }
  | { readonly status: "failed"; readonly reason: string };

/** The callbacks of a client. */
export interface McpClientEvents {
  /** Its state, or its listing, is another. */
  readonly changed: () => void;
  /** It cannot be reached, or was lost; told once for each time. */
  readonly failed: (reason: string) => void;
}

/** A connection that lasted this long was a good one: the next is made at once. */
const STABLE_MS = 30_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** Times that a program is started that ends at once, or does not greet. */
const MOST_STARTS = 6;

/** A keeper of the connection to one server: makes it anew when it ends, with longer and longer pauses. */
export class McpClient {
  readonly server: McpServer;
  readonly #host: McpHost;
  readonly #events: McpClientEvents;
  readonly #life = new AbortController();
  #state: McpClientState;
  #listing: Listing | undefined;
  #connection: McpConnection | undefined;
  /** The one that was there when the client was ended. */
  #last: McpConnection | undefined;
  #changed = Promise.withResolvers<void>();
  #lose: (why: string) => void = () => undefined;
  #isTold = false;
  #lists = 0;

  /** @param before - what the server offered before it was connected anew */
  constructor(
    server: McpServer,
    host: McpHost,
    { before, ...events }: McpClientEvents & { readonly before?: Listing },
  ) {
    this.server = server;
    this.#host = host;
    this.#events = events;
    this.#listing = before;
    if (server.disabled === true) this.#state = { status: "disabled" };
    else if (server.problem !== undefined) this.#state = { status: "failed", reason: server.problem };
    else this.#state = { status: "connecting" };
  }

  get state(): McpClientState {
    return this.#state;
  }

  /** The listing of the server; `undefined` while nothing of it can be used. */
  get listing(): Listing | undefined {
    return this.#state.status === "connecting" || this.#state.status === "connected"
      ? this.#listing
      : undefined;
  }

  /** Begins to connect; returns at once. */
  start(): void {
    const { state } = this;
    if (state.status === "failed") this.#events.failed(state.reason);
    if (state.status === "connecting") void this.#keep(this.#life.signal);
  }

  /** Resolves when it is connected, or is known not to be, or when the signal aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    while (this.#state.status === "connecting" && !signal.aborted && !this.#life.signal.aborted)
      await settledOrAborted(this.#changed.promise, signal);
  }

  /**
   * Does something on the connection; waits for one that is being made.
   *
   * @throws HostError `tool_failed` when there is none, and for whatever goes wrong on it
   */
  async use<T>(work: (connection: McpConnection) => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let isFirst = true; ; isFirst = false) {
      await this.settled(signal);
      signal.throwIfAborted();
      const connection = this.#connection;
      if (connection === undefined) throw this.#error(this.#whyNot());
      try {
        return await work(connection);
      } catch (thrown) {
        // The library makes an error of its own of the signal's reason.
        signal.throwIfAborted();
        if (this.server.type !== "stdio" && connection === this.#connection) {
          if (isSessionGone(thrown) || isUnreachable(thrown)) this.#lose(this.#failure(thrown));
          // The server has forgotten the session, and has not looked at the request.
          if (isSessionGone(thrown) && isFirst) continue;
        }
        throw this.#error(connection.endReason ?? this.#failure(thrown), thrown);
      }
    }
  }

  /** Ends it when the calls that run on it are over; resolves then. */
  async retire(): Promise<void> {
    this.#end();
    await this.#last?.retire();
  }

  /** Ends it now: calls that run fail. */
  async close(): Promise<void> {
    this.#end();
    await this.#last?.close();
  }

  #end(): void {
    this.#life.abort();
    this.#last ??= this.#connection;
    this.#connection = undefined;
    this.#changed.resolve();
  }

  async #keep(life: AbortSignal): Promise<void> {
    const { clock } = this.#host;
    for (let tries = 1; ; tries += 1) {
      const since = clock.monotonic();
      const why = await this.#once(life);
      if (life.aborted) return;
      if (clock.monotonic() - since > STABLE_MS) tries = 0;
      // Once is an accident: what was offered is kept, and calls wait for the next connection.
      if (tries > 1 && this.#state.status === "connecting") this.#become({ status: "failed", reason: why });
      if (!this.#isTold) this.#events.failed(why);
      this.#isTold = true;
      if (tries >= MOST_STARTS && this.server.type === "stdio") return;
      await sleep(clock, tries === 0 ? 0 : pause(tries), life);
      if (life.aborted) return;
    }
  }

  /** One connection from its beginning to its end; gives the reason for that. */
  async #once(life: AbortSignal): Promise<string> {
    const lost = Promise.withResolvers<string>();
    this.#lose = (why) => {
      lost.resolve(why);
      if (life.aborted || this.#connection !== connection) return;
      this.#connection = undefined;
      this.#become({ status: "connecting" });
    };
    const events = {
      lost: (why: string) => this.#lose(why),
      changed: () => void this.#listAgain(connection, life),
    };
    const connection = new McpConnection(this.server, this.#host, events);
    try {
      const listing = await this.#greet(connection, life);
      life.throwIfAborted();
      this.#connection = connection;
      this.#listing = listing;
      this.#isTold = false;
      this.#become({ status: "connected" });
      await settledOrAborted(lost.promise, life);
      // `retire` and `close` end the connection themselves.
      if (life.aborted) return "";
      void connection.close();
      return await lost.promise;
    } catch (thrown) {
      const why = connection.endReason ?? this.#failure(thrown);
      await connection.close();
      const { state } = this;
      const isNews = state.status !== "failed" || state.reason !== why;
      if (!life.aborted && isNews) this.#become({ status: "failed", reason: why });
      return why;
    }
  }

  async #greet(connection: McpConnection, life: AbortSignal): Promise<Listing> {
    const { connectMs = CONNECT_MS } = this.server;
    return await within({ clock: this.#host.clock, ms: connectMs, signal: life }, async (signal) => {
      await connection.open(signal);
      return await connection.list(signal);
    });
  }

  async #listAgain(connection: McpConnection, life: AbortSignal): Promise<void> {
    const { connectMs = CONNECT_MS } = this.server;
    this.#lists += 1;
    const nth = this.#lists;
    try {
      const listing = await within({ clock: this.#host.clock, ms: connectMs, signal: life }, (signal) =>
        connection.list(signal),
      );
      // The newest word counts.
      if (connection !== this.#connection || nth !== this.#lists) return;
      this.#listing = listing;
      this.#become({ status: "connected" });
    } catch (thrown) {
      if (connection === this.#connection) this.#lose(mcpFailureText(thrown));
    }
  }

  #become(state: McpClientState): void {
    this.#state = state;
    const before = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    before.resolve();
    this.#events.changed();
  }

  #failure(thrown: unknown): string {
    const { type, name } = this.server;
    return mcpFailureText(thrown, type !== "stdio" && this.#host.login !== undefined ? name : undefined);
  }

  #whyNot(): string {
    if (this.#life.signal.aborted) return "it was taken away";
    return this.#state.status === "failed" ? this.#state.reason : `it is ${this.#state.status}`;
  }

  #error(why: string, cause?: unknown): HostError {
    return toolFailed(`MCP server ${this.server.name}: ${why}`, cause);
  }
}

const pause = (tries: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
