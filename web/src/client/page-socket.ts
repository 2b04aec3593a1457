import type { Connect } from "../../../src/rpc/client/transport.ts";

const NOT_REACHED = "the dashboard does not answer";

/** The way from a page to the gateway of its own server; the cookie says who asks. */
export function pageSocket(): Connect {
  return async (listener, signal) => {
    const address = new URL("/dashboard/api/ws", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    const opened = Promise.withResolvers<void>();
    const abort = (): void => socket.close();
    signal.addEventListener("abort", abort, { once: true });
    let isOpen = false;
    socket.addEventListener("open", () => {
      isOpen = true;
      opened.resolve();
    });
    socket.addEventListener("message", ({ data }: MessageEvent<string>) => listener.message(data));
    socket.addEventListener("close", ({ reason }) => {
      signal.removeEventListener("abort", abort);
      if (isOpen) listener.closed({ reason: reason === "" ? NOT_REACHED : reason, final: false });
      else opened.reject(new Error(NOT_REACHED));
    });
    await opened.promise;
    return { send: (message) => socket.send(message), close: () => socket.close() };
  };
}
