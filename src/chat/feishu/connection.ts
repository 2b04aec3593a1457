import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, readForeignJson } from "../../shared/json/json.ts";
import type { Sink } from "../port/channel.ts";
import type { ChannelPorts } from "../port/platform.ts";
import type { ChatSocket } from "../port/transport.ts";
import type { FeishuApi } from "./api.ts";
import { decodeFrame, encodeFrame, type FeishuFrame, FRAME_METHOD, headerOf } from "./frame.ts";
import { Segments } from "./segments.ts";

/** An event that is safe; a callback waits for an answer besides, which never rejects. */
export interface TakenEvent {
  readonly answer?: Promise<object | undefined>;
}

/** The parts with which the long connection is held. */
export interface FeishuConnection {
  readonly api: FeishuApi;
  readonly ports: Pick<ChannelPorts, "socket" | "clock">;
  readonly sink: Pick<Sink, "alive">;
  /** Takes an event; when it resolves, it is safe. */
  readonly take: (event: unknown) => Promise<TakenEvent>;
  readonly signal: AbortSignal;
}

const PING_MS = 120_000;
const SHORTEST_PING_MS = 5000;

/**
 * Receives through the long connection, https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case,
 * in the frames that the official SDKs show. An event is acknowledged when it is safe; what is not acknowledged within three
 * seconds comes again.
 *
 * @throws HostError when the connection is lost
 */
export async function holdConnection(parts: FeishuConnection): Promise<void> {
  const { api, ports, sink, signal } = parts;
  const endpoint = await api.endpoint(signal);
  const address = URL.parse(String(endpoint["URL"]));
  if (address === null)
    throw new HostError("delivery_failed", "feishu: no address is offered to connect to.");
  const socket = await ports.socket(address.href, { signal, heard: () => sink.alive() });
  const heartbeat = new Heartbeat(socket, ports.clock, Number(address.searchParams.get("service_id")) || 0);
  heartbeat.every(endpoint["ClientConfig"]);
  const segments = new Segments();
  try {
    for await (const bytes of socket.bytes()) {
      sink.alive();
      const frame = decodeFrame(bytes);
      if (frame?.method === FRAME_METHOD.control) heartbeat.every(readForeignJson(frame.payload));
      if (frame?.method === FRAME_METHOD.data) await takeFrame(frame, { ...parts, socket, segments });
    }
  } finally {
    heartbeat.stop();
    socket.close();
  }
  if (!signal.aborted) throw new HostError("fetch_failed", "feishu: the connection was closed.");
}

/** The pings that the other side wants; it says how often when the connection begins, and with its answers. */
class Heartbeat {
  readonly #socket: ChatSocket;
  readonly #clock: ChannelPorts["clock"];
  readonly #service: number;
  #everyMs = PING_MS;
  #cancel: () => void = () => undefined;

  constructor(socket: ChatSocket, clock: ChannelPorts["clock"], service: number) {
    this.#socket = socket;
    this.#clock = clock;
    this.#service = service;
    this.#beat();
  }

  /** @param config - as the other side says it, with `PingInterval` in seconds; anything else changes nothing */
  every(config: unknown): void {
    const seconds = isJsonObject(config) ? Number(config["PingInterval"]) : 0;
    if (seconds > 0) this.#everyMs = Math.min(Math.max(1000 * seconds, SHORTEST_PING_MS), PING_MS);
  }

  stop(): void {
    this.#cancel();
  }

  #beat(): void {
    const { control: method } = FRAME_METHOD;
    const rest = { seqId: 0n, logId: 0n, service: this.#service, payload: new Uint8Array() };
    this.#socket.send(encodeFrame({ ...rest, method, headers: [["type", "ping"]] }));
    this.#cancel = this.#clock.after(this.#everyMs, () => this.#beat());
  }
}

async function takeFrame(
  frame: FeishuFrame,
  {
    take,
    socket,
    segments,
    ports,
  }: FeishuConnection & { readonly socket: ChatSocket; readonly segments: Segments },
): Promise<void> {
  const payload = segments.add(frame);
  if (payload === undefined) return;
  const begun = ports.clock.monotonic();
  const acknowledge = (body?: object): void => {
    const tookMs = Math.round(ports.clock.monotonic() - begun);
    const data = body === undefined ? {} : { data: Buffer.from(JSON.stringify(body)).toString("base64") };
    socket.send(
      encodeFrame({
        ...frame,
        headers: [...frame.headers, ["biz_rt", String(tookMs)]],
        payload: Buffer.from(JSON.stringify({ code: 200, ...data })),
      }),
    );
  };
  const isEvent = ["event", "card"].includes(headerOf(frame, "type"));
  const { answer } = isEvent ? await take(readForeignJson(payload)) : {};
  if (answer === undefined) return acknowledge();
  // What the one who pressed is told may take a moment, in which others go on.
  void answer.then(acknowledge);
}
