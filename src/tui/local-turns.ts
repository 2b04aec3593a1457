/** The turns that run in the client's own process: they need it, and with it no terminal. */
export interface LocalTurns {
  /** How many run now. */
  running(): number;
  /** Stops them all, with what is queued behind them. */
  stop(): Promise<void>;
}

/** No turn needs the client's process: the gateway is elsewhere. */
export const NO_LOCAL_TURNS: LocalTurns = { running: () => 0, stop: () => Promise.resolve() };
