import { writeSync } from "node:fs";
import type { Writable } from "node:stream";

const DONE: Promise<void> = Promise.resolve();

/** The stream of a descriptor, and the stream's own way to write. */
export interface DescriptorStream {
  readonly descriptor: number;
  readonly stream: Pick<Writable, "writableLength">;
  readonly write: Writable["write"];
}

/**
 * Makes a function that writes text straight to a descriptor: the way through its stream takes as long again. What the
 * system does not take at once, as from a reader that is slow, goes that way, and so does all that comes while something
 * waits there. Resolves when there is room for more, rejects when nobody reads any longer.
 */
export function directWriter({
  descriptor,
  stream,
  write,
}: DescriptorStream): (text: string) => Promise<void> {
  const throughStream = (rest: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      write(rest, (error) => (error === null || error === undefined ? resolve() : reject(error)));
    });
  return (text) => {
    if (stream.writableLength > 0) return throughStream(text);
    const size = Buffer.byteLength(text);
    const taken = takenOf(descriptor, text);
    if (taken === size) return DONE;
    return throughStream(taken === 0 ? text : Buffer.from(text).subarray(taken));
  };
}

/** The bytes that the system takes at once; an error is for the stream to meet. */
function takenOf(descriptor: number, text: string): number {
  try {
    return writeSync(descriptor, text);
  } catch {
    return 0;
  }
}
