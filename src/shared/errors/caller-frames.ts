/** Settles as `promise` does; an error that was made in another thread tells who waits for it here. */
export async function withCallerFrames<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (thrown) {
    // Only now: a stack costs some microseconds.
    throw noteCaller()(thrown);
  }
}

/**
 * Notes who calls, for an error that is made behind a queue, after the call is over: a reader of its stack looks for the
 * line of his own program.
 *
 * @returns a function that adds the caller's frames to an error, and gives it back
 */
export function noteCaller(): (thrown: unknown) => unknown {
  const here: { stack?: string } = {};
  Error.captureStackTrace(here, noteCaller);
  return (thrown) => {
    if (!(thrown instanceof Error)) return thrown;
    const known = thrown.stack ?? "";
    const frames = (here.stack ?? "").split("\n").slice(1);
    thrown.stack = [known, ...frames.filter((frame) => !known.includes(frame))].join("\n");
    return thrown;
  };
}
