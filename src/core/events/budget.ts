/** The most that a session may use in all, its subagents' work included; 0 is no limit, an absent key the owner's. */
export interface Budget {
  /** Tokens, without those that the provider read from its cache. */
  readonly tokens?: number;
  /** US dollars, where prices are known. */
  readonly cost?: number;
}
