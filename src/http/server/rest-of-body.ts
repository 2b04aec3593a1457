import type { IncomingMessage, ServerResponse } from "node:http";

/** Milliseconds for which the rest of a body that nobody wants is taken. */
const REST_MS = 30_000;

/**
 * Takes what still comes of a request that is answered before it has arrived. Many clients read no answer before they
 * have sent everything, and what arrives at a closed connection makes the other side throw away an answer that it has
 * not read yet.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse): void {
  response.once("prefinish", () => {
    if (!request.complete) linger(request);
  });
}

function linger(request: IncomingMessage): void {
  const { socket } = request;
  const close = socket.destroySoon.bind(socket);
  let closes = false;
  // Asked for by Node when the client wants no further answers: ours is sent to its end, and theirs stays open a while.
  socket.destroySoon = () => {
    closes = true;
    socket.end();
  };
  const timer = setTimeout(() => socket.destroy(), REST_MS).unref();
  request
    .once("close", () => {
      clearTimeout(timer);
      socket.destroySoon = close;
      if (closes) close();
    })
    .resume();
}
