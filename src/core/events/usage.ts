/** Tokens of one or more model calls, as the provider counted them. */
export interface Usage {
  /** Model calls made. */
  readonly calls: number;
  /** Tokens of the requests, cached ones included. */
  readonly input: number;
  readonly output: number;
  /** Part of `output` that was reasoning. */
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** US dollars by the price table; absent when a call's price is unknown. */
  readonly cost?: number;
}

/** Nothing used. */
export const NO_USAGE: Usage = {
  calls: 0,
  input: 0,
  output: 0,
  reasoning: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: 0,
};

/** Adds two usages; the cost is known only while every part's cost is. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = {
    calls: a.calls + b.calls,
    input: a.input + b.input,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
  return a.cost === undefined || b.cost === undefined ? sum : { ...sum, cost: a.cost + b.cost };
}
