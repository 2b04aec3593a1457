import { once } from "node:events";
import { type ClientOptions, WebSocket } from "ws";
import { RawClient } from "./raw-client.ts";

/** A client that is a bare WebSocket. */
export interface BareSocket extends RawClient, AsyncDisposable {
  readonly socket: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Connects and waits for the gateway's first frame. Rejects with what the server answered instead. */
export async function bareSocket(url: string, options: ClientOptions = {}): Promise<BareSocket> {
  const socket = new WebSocket(url, options);
  const client = new RawClient((text) => socket.send(text));
  // What is wrong before the connection is open, `once` rejects with; later the close says it.
  socket.on("error", () => undefined);
  socket.on("message", (data: Buffer) => client.take(data.toString("utf8")));
  const closing = Promise.withResolvers<{ code: number; reason: string }>();
  socket.on("close", (code, reason) => closing.resolve({ code, reason: reason.toString("utf8") }));
  const closed = closing.promise;
  await once(socket, "open");
  await client.event("gateway.ready");
  return Object.assign(client, {
    socket,
    closed,
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await closed;
    },
  });
}
