import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import { readForeignJson } from "../../shared/json/json.ts";
import type { Sink } from "../port/channel.ts";
import type { ChannelPorts } from "../port/platform.ts";
import type { ChatSocket } from "../port/transport.ts";
import type { DingtalkApi } from "./api.ts";

/** The topics of what people write to the robot, and of the buttons that they press. */
export const TOPICS = {
  message: "/v1.0/im/bot/messages/get",
  card: "/v1.0/card/instances/callback",
} as const;

/** The parts with which the stream is held. */
export interface StreamParts {
  readonly api: DingtalkApi;
  readonly ports: Pick<ChannelPorts, "socket" | "clock">;
  readonly sink: Pick<Sink, "alive">;
  /** Takes what happened; when it resolves, it is safe. */
  readonly take: (topic: string, data: unknown, id: string) => Promise<void>;
  readonly signal: AbortSignal;
}

const FrameWire = z.object({
  type: z.string(),
  headers: z.object({ topic: z.string(), messageId: z.string().default("") }),
  data: z.string().default(""),
});

const PING_MS = 30_000;

/**
 * Receives in stream mode: https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol. What is not answered
 * comes again. A server that says `disconnect` closes soon: the next connection is open before that.
 *
 * @throws HostError when the connection is lost
 */
export async function holdStream(parts: StreamParts): Promise<void> {
  let socket = await openStream(parts);
  try {
    while (await readUntilDisconnect(socket, parts)) {
      const next = await openStream(parts);
      socket.close();
      socket = next;
    }
  } finally {
    socket.close();
  }
  if (!parts.signal.aborted) throw new HostError("fetch_failed", "dingtalk: the connection was closed.");
}

async function openStream({ api, ports, sink, signal }: StreamParts): Promise<ChatSocket> {
  const url = await api.endpoint(Object.values(TOPICS), signal);
  return await ports.socket(url, { signal, heard: () => sink.alive() });
}

/** @returns whether the server asks for another connection */
async function readUntilDisconnect(socket: ChatSocket, { sink, take, ports }: StreamParts): Promise<boolean> {
  let cancel: () => void = () => undefined;
  const beat = (): void => {
    cancel = ports.clock.after(PING_MS, beat);
    socket.ping();
  };
  beat();
  // A server that only sends away is come back to later.
  let isServed = false;
  try {
    for await (const text of socket) {
      sink.alive();
      const frame = frameIn(text);
      if (frame === undefined) continue;
      const { type, headers, data } = frame;
      if (type === "SYSTEM" && headers.topic === "disconnect") return isServed;
      isServed = true;
      if (type === "CALLBACK") await take(headers.topic, readForeignJson(data), headers.messageId);
      const said = type === "CALLBACK" ? JSON.stringify({ response: {} }) : data;
      if (type !== "SYSTEM" || headers.topic === "ping") answer(socket, headers.messageId, said);
    }
  } finally {
    cancel();
  }
  return false;
}

const answer = (socket: ChatSocket, messageId: string, data: string): void =>
  socket.send(
    JSON.stringify({
      code: 200,
      message: "OK",
      headers: { contentType: "application/json", messageId },
      data,
    }),
  );

const frameIn = (text: string): z.output<typeof FrameWire> | undefined =>
  FrameWire.safeParse(readForeignJson(text)).data;
