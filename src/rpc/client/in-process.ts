import type { Accept, Receiver, Wire } from "../wire.ts";
import type { Connect } from "./transport.ts";

/** The way to a gateway in the same process: `inProcess((wire) => gateway.accept(wire))`. */
export function inProcess(accept: Accept): Connect {
  return (listener) => {
    let over = false;
    const end = (reason: string): void => {
      if (over) return;
      over = true;
      receiver.closed();
      listener.closed({ reason, final: false });
    };
    const wire: Wire = {
      heartbeat: false,
      send: (message) => {
        // Never in the middle of what the other side is doing.
        queueMicrotask(() => over || listener.message(message));
        return Promise.resolve();
      },
      pause: () => undefined,
      resume: () => undefined,
      close: (_code, reason) => end(reason),
    };
    const receiver: Receiver = accept(wire);
    return Promise.resolve({
      send: (message) => queueMicrotask(() => over || receiver.message(message)),
      close: () => end("closed"),
    });
  };
}
