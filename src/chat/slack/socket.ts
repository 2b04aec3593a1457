import { HostError } from "../../shared/errors/host-error.ts";
import { readForeignObject } from "../../shared/json/json.ts";
import type { Sink } from "../port/channel.ts";
import type { ChannelPorts } from "../port/platform.ts";
import type { ChatSocket } from "../port/transport.ts";
import type { SlackApi } from "./api.ts";
import type { SlackPayload, PayloadKind } from "./receive.ts";

/** The taker of what comes through Socket Mode. */
export interface EnvelopeTaker {
  readonly sink: Pick<Sink, "alive">;
  /** Takes a payload; when it resolves, it is safe and its envelope is acknowledged. */
  readonly take: (payload: SlackPayload) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Milliseconds: a connection that Slack wants anew sooner is lost, and the next one waited for as after any loss. */
const SHORTEST_LIFE_MS = 10_000;

/** A connection that is open. */
interface Connection {
  readonly socket: ChatSocket;
  /** Whether it has lasted for some seconds. */
  readonly lasts: () => boolean;
  /** Called whenever Slack is heard through it. */
  readonly heard: () => void;
}

/**
 * Receives through Socket Mode: https://docs.slack.dev/apis/events-api/using-socket-mode. An envelope is acknowledged when
 * what it holds is safe; what is not acknowledged comes again. Slack asks for a new connection every few hours: that one is
 * open before the old one is closed.
 *
 * @throws HostError when the connection is lost
 */
export async function receiveEnvelopes(
  api: SlackApi,
  ports: Pick<ChannelPorts, "socket" | "clock">,
  taker: EnvelopeTaker,
): Promise<void> {
  const { signal } = taker;
  let now = await openConnection(api, ports, taker);
  try {
    while (await readUntilRefresh(now, taker)) {
      const next = await openConnection(api, ports, taker);
      now.socket.close();
      now = next;
    }
  } finally {
    now.socket.close();
  }
  if (!signal.aborted) throw new HostError("fetch_failed", "slack: the connection was closed.");
}

async function openConnection(
  api: SlackApi,
  { socket: open, clock }: Pick<ChannelPorts, "socket" | "clock">,
  { sink, signal }: EnvelopeTaker,
): Promise<Connection> {
  const { url } = await api.call("apps.connections.open", {}, { secret: "appToken", signal });
  if (typeof url !== "string")
    throw new HostError("delivery_failed", "slack: apps.connections.open named no address.");
  api.checkHost(url, "wss:");
  let since = Infinity;
  const lasts = (): boolean => clock.monotonic() - since >= SHORTEST_LIFE_MS;
  // The greeting of one that ends at once is no sign of life: the waits between such ones grow.
  const heard = (): void => {
    if (lasts()) sink.alive();
  };
  const socket = await open(url, { signal, heard });
  since = clock.monotonic();
  return { socket, lasts, heard };
}

const KINDS: ReadonlySet<unknown> = new Set<PayloadKind>(["events_api", "interactive", "slash_commands"]);
const isKind = (type: unknown): type is PayloadKind => KINDS.has(type);

/** @returns whether Slack asks for another connection, which may be opened at once */
async function readUntilRefresh(
  { socket, lasts, heard }: Connection,
  { take }: EnvelopeTaker,
): Promise<boolean> {
  let isGreeted = false;
  for await (const text of socket) {
    heard();
    const message = readForeignObject(text);
    const { type, envelope_id: id, payload, reason } = message;
    if (type === "hello") isGreeted = true;
    if (type === "disconnect") {
      if (reason === "link_disabled")
        throw new HostError(
          "delivery_failed",
          "slack: Socket Mode is switched off in the settings of the app.",
        );
      // A server that only sends away, or has no room for another one, is come back to later.
      return isGreeted && lasts() && reason !== "too_many_websockets";
    }
    if (typeof id !== "string") continue;
    if (isKind(type)) await take({ kind: type, payload });
    socket.send(JSON.stringify({ envelope_id: id }));
  }
  return false;
}
