import { EXIT, type Io } from "./io.ts";

type Signal = Parameters<Io["onSignal"]>[0];

/** Calls `run` at each of these signals, until the result is disposed. */
export function onSignals(
  io: Pick<Io, "onSignal">,
  signals: readonly Signal[],
  run: (signal: Signal) => void,
): Disposable {
  const offs = signals.map((signal) => io.onSignal(signal, () => run(signal)));
  return {
    [Symbol.dispose]() {
      for (const off of offs) off();
    },
  };
}

/** The wish to a server: to end, or to end and start anew. */
export type StopKind = "stop" | "restart";

/** The wish that a server ends. */
export interface StopRequest {
  /** Resolves at the first signal to stop, when its terminal is gone, or when a restart is asked for. */
  readonly asked: Promise<void>;
  /** The newest wish: who is told to stop while it ends for a restart stops. */
  readonly kind: () => StopKind;
  /** Asks for a restart, as the signal SIGUSR2 does; absent where the system has no way to start anew. */
  readonly restart?: () => void;
}

/** Waits to be told to stop. A second signal to stop ends the process at once. */
export function stopRequest(io: Io): StopRequest {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let kind: StopKind = "restart";
  onSignals(io, ["SIGINT", "SIGTERM", "SIGHUP"], () => {
    if (kind === "stop") io.exit(EXIT.interrupted);
    kind = "stop";
    resolve();
  });
  const wish = { asked, kind: () => kind };
  if (io.startAnew === undefined) return wish;
  const restart = (): void => resolve();
  onSignals(io, ["SIGUSR2"], restart);
  return { ...wish, restart };
}

/** Resolves when a server that does not restart itself is told to stop. */
export async function stopSignal(io: Io): Promise<void> {
  const { startAnew: _never, ...stopping } = io;
  await stopRequest(stopping).asked;
}
