import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { readForeignJson } from "../../shared/json/json.ts";
import type { ChannelPorts } from "../port/platform.ts";
import type { ChatSocket } from "../port/transport.ts";
import { lossOf } from "./close-codes.ts";
import { FrameWire, HelloWire, ReadyWire } from "./wire.ts";

/** A session of the gateway, which outlives its connection. */
export interface GatewaySession {
  readonly id: string;
  /** Where it is resumed. */
  readonly url: string;
  /** The last event that is safe: what came after it comes again when the session is resumed. */
  seq: number;
}

/** An event of the gateway. */
export interface Dispatch {
  readonly type: string;
  readonly data: unknown;
  readonly seq: number;
}

/** The options of a connection to the gateway. */
export interface GatewayOptions {
  readonly ports: Pick<ChannelPorts, "socket" | "clock" | "random">;
  readonly token: string;
  readonly url: string;
  /** The session to resume. */
  readonly session: GatewaySession | undefined;
  /** Told of a new session, and of the end of one that cannot be resumed. */
  readonly changed: (session: GatewaySession | undefined) => void;
  /** Makes events safe; a session begins with `READY`. */
  readonly take: (dispatches: readonly Dispatch[]) => Promise<void>;
  readonly alive: () => void;
}

const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  ack: 11,
} as const;
/** GUILD_MESSAGES, GUILD_MESSAGE_REACTIONS, DIRECT_MESSAGES, DIRECT_MESSAGE_REACTIONS, MESSAGE_CONTENT. */
export const INTENTS = (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13) | (1 << 15);
const MOST_AT_ONCE = 100;

/**
 * Holds a connection to the gateway, version 10, until it is lost: https://docs.discord.com/developers/events/gateway
 *
 * @throws HostError `fetch_failed`; `config_invalid` when only the owner can help
 */
export async function holdGateway(options: GatewayOptions, signal: AbortSignal): Promise<void> {
  await new GatewayConnection(options).hold(signal);
}

class GatewayConnection {
  readonly #options: GatewayOptions;
  readonly #life = new AbortController();
  readonly #waiting: Dispatch[] = [];
  #session: GatewaySession | undefined;
  #socket: ChatSocket | undefined;
  #received = 0;
  #isAcknowledged = true;
  #cancelBeat: () => void = () => undefined;
  #taking: Promise<void> | undefined;
  #failure: HostError | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#received = options.session?.seq ?? 0;
  }

  async hold(signal: AbortSignal): Promise<void> {
    const { ports, url, alive, changed } = this.#options;
    const within = AbortSignal.any([signal, this.#life.signal]);
    try {
      const socket = await ports.socket(`${url.replace(/\/+$/, "")}/?v=10&encoding=json`, { signal: within });
      this.#socket = socket;
      for await (const text of socket) {
        alive();
        this.#frame(text);
      }
    } catch (thrown) {
      const loss = lossOf(toHostError(thrown));
      this.#failure ??= loss.error;
      if (loss.endsSession) changed(undefined);
    } finally {
      this.#cancelBeat();
      this.#life.abort();
      this.#waiting.length = 0;
      await this.#taking;
    }
    if (!signal.aborted && this.#failure !== undefined) throw this.#failure;
  }

  #frame(text: string): void {
    const frame = FrameWire.safeParse(readForeignJson(text));
    // What cannot be read is no event of ours.
    if (!frame.success) return;
    const { op, d, s, t } = frame.data;
    if (op === OP.dispatch) this.#dispatch({ type: t ?? "", data: d, seq: s ?? this.#received });
    else if (op === OP.hello) this.#greet(d);
    else if (op === OP.heartbeat) this.#send(OP.heartbeat, this.#received || null);
    else if (op === OP.ack) this.#isAcknowledged = true;
    else if (op === OP.reconnect) this.#lose("The gateway asks to connect again.");
    else if (op === OP.invalid) this.#invalid(d === true);
  }

  /** The other side is there: heartbeats begin, and the session is resumed or begun. */
  #greet(hello: unknown): void {
    const { data } = HelloWire.safeParse(hello);
    if (data === undefined) return this.#lose("The gateway's first frame could not be read.");
    const { clock, random } = this.#options.ports;
    const everyMs = data.heartbeat_interval;
    const beat = (): void => {
      if (!this.#isAcknowledged) return this.#lose("A heartbeat was not acknowledged.");
      this.#isAcknowledged = false;
      this.#send(OP.heartbeat, this.#received || null);
      this.#cancelBeat = clock.after(everyMs, beat);
    };
    this.#cancelBeat = clock.after(everyMs * random(), beat);
    const { token } = this.#options;
    const session = this.#session;
    if (session !== undefined)
      return this.#send(OP.resume, { token, session_id: session.id, seq: session.seq });
    const properties = { os: "linux", browser: "agent-host", device: "agent-host" };
    this.#send(OP.identify, { token, intents: INTENTS, properties });
  }

  #dispatch(dispatch: Dispatch): void {
    const { type, data, seq } = dispatch;
    this.#received = Math.max(this.#received, seq);
    if (type === "READY") {
      const ready = ReadyWire.safeParse(data);
      if (!ready.success) return this.#lose("The begin of a session could not be read.");
      this.#session = { id: ready.data.session_id, url: ready.data.resume_gateway_url, seq: 0 };
      this.#options.changed(this.#session);
    }
    this.#waiting.push(dispatch);
    this.#taking ??= this.#takeAll();
  }

  /** Makes what waits safe, and only then counts it: what does not become safe comes again. */
  async #takeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, MOST_AT_ONCE);
        await this.#options.take(batch);
        const last = batch.at(-1);
        if (this.#session !== undefined && last !== undefined) this.#session.seq = last.seq;
      }
    } catch (thrown) {
      this.#fail(toHostError(thrown));
    } finally {
      this.#taking = undefined;
    }
  }

  #invalid(isResumable: boolean): void {
    if (!isResumable) this.#options.changed(undefined);
    // A session may be begun again one to five seconds later.
    const waitMs = isResumable ? 0 : 1000 + 4000 * this.#options.ports.random();
    this.#fail(
      new HostError("fetch_failed", "discord: The session is not valid any more.", {
        details: { retryAfterMs: waitMs },
      }),
    );
  }

  #send(op: number, d: unknown): void {
    this.#socket?.send(JSON.stringify({ op, d }));
  }

  #lose(why: string): void {
    this.#fail(new HostError("fetch_failed", `discord: ${why}`));
  }

  /** Ends the connection, not the session: that ends only with the close codes 1000 and 1001. */
  #fail(error: HostError): void {
    this.#failure ??= error;
    this.#life.abort();
  }
}
