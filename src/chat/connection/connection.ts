import { type Clock, sleep } from "../../shared/async/clock.ts";
import { growingWait } from "../../shared/async/growing-wait.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";

/** The state of a connection. `standby`: another process of the home has it. */
export type ChannelState = "connecting" | "connected" | "retrying" | "standby" | "off";

/** The signs of life of a connection. */
export interface SignsOfLife {
  /** The platform took the secrets: it is connected, as far as is known. */
  readonly stands: () => void;
  /** The other side was heard through the connection itself. */
  readonly alive: () => void;
}

/** The options of a connection. */
export interface KeptConnection {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Milliseconds of silence after which it counts as lost. */
  readonly silenceMs: number;
  /** Holds the connection until it is lost or `signal` aborts. */
  readonly hold: (signs: SignsOfLife, signal: AbortSignal) => Promise<void>;
  readonly changed: (state: ChannelState, error?: HostError) => void;
}

/**
 * Keeps a connection until `signal` aborts: after each loss it waits 1, 2, 4 … 60 s, with jitter, and connects again.
 *
 * @throws HostError `config_invalid` when only the owner can help
 */
export async function keepConnected(options: KeptConnection, signal: AbortSignal): Promise<void> {
  const { clock, random, changed } = options;
  let losses = 0;
  while (!signal.aborted) {
    changed("connecting");
    const error = await holdOnce(options, signal, {
      stands: () => changed("connected"),
      // One through which nothing ever comes is no better than one that cannot be had.
      alive: () => (losses = 0),
    });
    if (signal.aborted) break;
    if (error.code === "config_invalid") throw error;
    const wait = Math.max(growingWait(losses, random), error.details.retryAfterMs ?? 0);
    losses += 1;
    changed("retrying", error);
    await sleep(clock, wait, signal);
  }
  changed("off");
}

/** Holds a connection once; gives why it was lost. */
async function holdOnce(
  { clock, silenceMs, hold }: KeptConnection,
  signal: AbortSignal,
  first: SignsOfLife,
): Promise<HostError> {
  const silent = new AbortController();
  const lost = new HostError("fetch_failed", `Nothing was heard for ${Math.round(silenceMs / 1000)} s.`);
  let cancel = clock.after(silenceMs, () => silent.abort(lost));
  const given = new Set<() => void>();
  const give = (sign: () => void): void => {
    if (!given.has(sign)) sign();
    given.add(sign);
  };
  const stands = (): void => {
    cancel();
    cancel = clock.after(silenceMs, () => silent.abort(lost));
    give(first.stands);
  };
  const alive = (): void => {
    stands();
    give(first.alive);
  };
  try {
    await hold({ stands, alive }, AbortSignal.any([signal, silent.signal]));
    return silent.signal.aborted ? lost : new HostError("fetch_failed", "The platform ended the connection.");
  } catch (thrown) {
    return silent.signal.aborted ? lost : toHostError(thrown);
  } finally {
    cancel();
  }
}
