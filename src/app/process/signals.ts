import { EXIT, type Io } from "./io.ts";

type Signal = Parameters<Io["onSignal"]>[0];

/** Calls `run` at each of these signals, until the result is disposed. */
export function onSignals(io: Io, signals: readonly Signal[], run: (signal: Signal) => void): Disposable {
  const offs = signals.map((signal) => io.onSignal(signal, () => run(signal)));
  return {
    [Symbol.dispose]() {
      for (const off of offs) off();
    },
  };
}

/** Resolves at the first signal to stop, or when its terminal is gone; a second one ends the process at once. */
export function stopSignal(io: Io): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  onSignals(io, ["SIGINT", "SIGTERM", "SIGHUP"], () => {
    if (asked) io.exit(EXIT.interrupted);
    asked = true;
    resolve();
  });
  return promise;
}
