/** A change of a session's settings; an absent key stays as it is, `null` returns to the default. */
export interface SettingsPatch {
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly reasoning?: string | null;
  /** In the faster tier of the model's provider. */
  readonly fast?: boolean | null;
  readonly yolo?: boolean;
  readonly cwd?: string;
  readonly roots?: readonly string[];
  readonly instructions?: string | null;
  readonly toolsets?: readonly string[] | null;
  /** Out of the way: lists leave the session out, and all of it stays. */
  readonly archived?: boolean;
  readonly budget?: Budget | null;
}

/** The most that a session may use in all, its subagents' work included; 0 is no limit, an absent key the owner's. */
export interface Budget {
  /** Tokens, without those that the provider read from its cache. */
  readonly tokens?: number;
  /** US dollars, where prices are known. */
  readonly cost?: number;
}
