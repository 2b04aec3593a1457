import { EXIT, type Io } from "./io.ts";

/** Resolves at the first signal to stop, or when its terminal is gone; a second one ends the process at once. */
export function stopSignal(io: Io): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    io.onSignal(signal, () => {
      if (asked) io.exit(EXIT.interrupted);
      asked = true;
      resolve();
    });
  }
  return promise;
}
