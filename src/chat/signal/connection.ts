import { type Clock, sleep } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { readForeignJson } from "../../shared/json/json.ts";
import type { Sink } from "../port/channel.ts";
import { pathOf } from "../port/request-path.ts";
import type { ChannelPorts } from "../port/platform.ts";
import type { SignalApi } from "./api.ts";
import { type EnvelopeReaderParts, readEnvelope } from "./receive.ts";
import type { Incoming } from "../port/incoming.ts";

/** The parts with which messages are received. */
export interface SignalReceiver extends EnvelopeReaderParts {
  readonly api: SignalApi;
  readonly sink: Sink;
  readonly signal: AbortSignal;
}

/**
 * Receives through the WebSocket of the service in its `json-rpc` mode.
 *
 * @throws HostError when the connection is lost
 */
export async function receiveBySocket(
  receiver: SignalReceiver,
  { socket }: Pick<ChannelPorts, "socket">,
): Promise<void> {
  const { api, sink, signal } = receiver;
  const heard = (): void => sink.alive();
  const open = await socket(api.socketUrl, { signal, heard });
  heard();
  for await (const text of open) {
    heard();
    await take(receiver, [readForeignJson(text)]);
  }
  if (!signal.aborted) throw new HostError("fetch_failed", "signal: the service closed the connection.");
}

/** Between two requests: in its other modes the service starts a program for each. */
const PAUSE_MS = 1000;
const LONGEST_MS = 120_000;

/** Asks again and again, for a service in its `normal` or `native` mode, which has no WebSocket. */
export async function receiveByPolling(receiver: SignalReceiver, clock: Clock): Promise<void> {
  const { api, sink, signal, number } = receiver;
  while (!signal.aborted) {
    const path = `${pathOf("v1", "receive", number)}?timeout=1`;
    const found = await api.call(path, { signal, timeoutMs: LONGEST_MS });
    sink.alive();
    await take(receiver, Array.isArray(found) ? (found as unknown[]) : []);
    await sleep(clock, PAUSE_MS, signal);
  }
}

async function take(receiver: SignalReceiver, envelopes: readonly unknown[]): Promise<void> {
  const events = envelopes.flatMap((each) => readEnvelope(each, receiver));
  if (events.length === 0) return;
  await receiver.sink.take(events);
  await markRead(events, receiver);
}

/** Shows people that what was meant for the agent has been read. Nobody misses it. */
async function markRead(events: readonly Incoming[], { api, number, signal }: SignalReceiver): Promise<void> {
  for (const event of events) {
    if (event.type !== "message" || !event.addressed) continue;
    const timestamp = Number(event.messageId.split(":")[0]);
    const body = { receipt_type: "read", recipient: event.from.id, timestamp };
    await api.call(pathOf("v1", "receipts", number), { method: "POST", body, signal }).catch(() => undefined);
  }
}
