import type { Writable } from "node:stream";

/**
 * Makes writes to a stream of the process return at once, also to a terminal or a pipe that takes nothing: a slow
 * reader must not stop the agent.
 *
 * @returns makes them wait again
 */
export function writeWithoutBlocking(stream: Writable): () => void {
  // Node makes them wait, and has no public way to say otherwise; without the handle they stay as they are.
  const { _handle: handle } = stream as { _handle?: { setBlocking?: (on: boolean) => void } };
  if (handle?.setBlocking === undefined) return () => undefined;
  handle.setBlocking(false);
  return () => handle.setBlocking?.(true);
}
