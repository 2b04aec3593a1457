/** The work in the client's own process: it needs the process, and turns need no terminal with it. */
export interface LocalWork {
  /** How many turns run now. */
  running(): number;
  /** The commands in the background, of all sessions: they end with the process. */
  commands(): readonly string[];
  /** Stops all turns, with what is queued behind them. */
  stop(): Promise<void>;
}

/** Nothing needs the client's process: the gateway is elsewhere. */
export const NO_LOCAL_WORK: LocalWork = {
  running: () => 0,
  commands: () => [],
  stop: () => Promise.resolve(),
};
