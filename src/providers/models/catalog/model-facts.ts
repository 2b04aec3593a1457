/** A price in US dollars per million tokens; reading and writing the cache cost what input costs when they are absent. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** The facts about one model that its owner can configure. */
export interface ModelFacts {
  readonly label?: string;
  /** Tokens. */
  readonly contextLength?: number;
  readonly maxOutputTokens?: number;
  readonly vision?: boolean;
  /** The model takes a reasoning effort. */
  readonly reasoning?: boolean;
  /** `false`: the endpoint cannot stream; the answer is requested in one piece. */
  readonly stream?: boolean;
  /** The provider's name of the tier that answers sooner, as `service_tier` of a request. */
  readonly fastTier?: string;
  readonly price?: TokenPrice;
}
