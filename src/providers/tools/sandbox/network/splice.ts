import type { Duplex } from "node:stream";

/** Milliseconds that a side may take to leave after the other one has left. */
const LINGER_MS = 30_000;

/**
 * Carries bytes both ways between two connections until both have ended.
 *
 * A connection that breaks takes nothing along that it said before: that is still written to the other side, which is
 * then told the end. What the other side says afterwards is read and dropped, since a socket that is closed with unread
 * bytes in it resets its peer, who may lose what it has not read yet.
 */
export function splice(one: Duplex, other: Duplex): void {
  carry(one, other);
  carry(other, one);
}

function carry(from: Duplex, to: Duplex): void {
  from.on("error", () => from.destroy());
  from.on("close", () => {
    to.unpipe(from);
    if (to.destroyed) return;
    to.resume();
    to.end();
    const patience = setTimeout(() => to.destroy(), LINGER_MS).unref();
    to.on("close", () => clearTimeout(patience));
  });
  if (from.destroyed) from.emit("close");
  else from.pipe(to);
}
