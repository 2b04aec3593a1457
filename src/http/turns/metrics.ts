import type { DurableEvent, Row } from "../../core/index.ts";
import type { AnsweredRequest } from "../server/middleware.ts";
import { type ByType, callByType } from "../../shared/union/by-type.ts";
import { forTypes, QUIET_EVENTS } from "./event-encoders.ts";

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Label values of one metric; further ones are counted as `other`. */
const MOST_SERIES = 200;
/** Turns whose start is remembered. */
const MOST_TURNS = 10_000;

/** A count that only rises, for each set of labels. */
class Counter {
  readonly series = new Map<string, number>();

  add(labels: string, by = 1): void {
    const key = this.series.has(labels) || this.series.size < MOST_SERIES ? labels : 'other="true"';
    this.series.set(key, (this.series.get(key) ?? 0) + by);
  }
}

class Histogram {
  readonly #counts = BUCKETS.map(() => 0);
  #count = 0;
  #sum = 0;

  add(seconds: number): void {
    const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
    this.#sum += seconds;
  }

  lines(name: string): readonly string[] {
    let below = 0;
    const buckets = BUCKETS.map((bound, index) => {
      below += this.#counts[index] ?? 0;
      return `${name}_bucket{le="${bound}"} ${below}`;
    });
    return [
      ...buckets,
      `${name}_bucket{le="+Inf"} ${this.#count}`,
      `${name}_sum ${this.#sum}`,
      `${name}_count ${this.#count}`,
    ];
  }
}

const label = (name: string, value: string): string => `${name}=${JSON.stringify(value)}`;

type Counting = { readonly metrics: Metrics; readonly at: number };

/** The counters of a server since its start. */
export class Metrics {
  static readonly #counters: ByType<DurableEvent, Counting, void> = {
    ...forTypes([...QUIET_EVENTS, "prompt.dropped", "tool.start"], () => undefined),
    "turn.start": ({ turnId }, { metrics, at }) => {
      if (metrics.#started.size < MOST_TURNS) metrics.#started.set(turnId, at);
    },
    "reply.complete": ({ provider, model }, { metrics }) =>
      metrics.#modelCalls.add(`${label("provider", provider)},${label("model", model)}`),
    "tool.complete": ({ name, outcome }, { metrics }) =>
      metrics.#tools.add(`${label("tool", name)},outcome="${outcome}"`),
    "turn.end": ({ turnId, outcome, usage }, { metrics, at }) => {
      const started = metrics.#started.get(turnId);
      metrics.#started.delete(turnId);
      if (started !== undefined) metrics.#turnSeconds.add((at - started) / 1000);
      metrics.#turns.add(`outcome="${outcome}"`);
      const { input, output, reasoning, cacheRead } = usage;
      for (const [kind, tokens] of Object.entries({ input, output, reasoning, cache_read: cacheRead }))
        if (tokens > 0) metrics.#tokens.add(`kind="${kind}"`, tokens);
    },
  };

  readonly #requests = new Counter();
  readonly #requestSeconds = new Histogram();
  readonly #turns = new Counter();
  readonly #turnSeconds = new Histogram();
  readonly #tokens = new Counter();
  readonly #tools = new Counter();
  readonly #modelCalls = new Counter();
  readonly #started = new Map<string, number>();

  request({ route, status, ms }: AnsweredRequest): void {
    this.#requests.add(`${label("route", route)},status="${status}"`);
    this.#requestSeconds.add(ms / 1000);
  }

  /** Counts a row of any session's log. */
  row({ event, at }: Row): void {
    callByType(Metrics.#counters, event, { metrics: this, at });
  }

  /** Gives everything in the text format of Prometheus. */
  text(gauges: Readonly<Record<string, number>>): string {
    return [
      ...counted("agent_http_requests_total", "Requests by route and status", this.#requests),
      ...timed("agent_http_request_seconds", "Time to an answer's first byte", this.#requestSeconds),
      ...counted("agent_turns_total", "Turns that ended, by outcome", this.#turns),
      ...timed("agent_turn_seconds", "Time that turns took", this.#turnSeconds),
      ...counted("agent_model_calls_total", "Replies of models", this.#modelCalls),
      ...counted("agent_tokens_total", "Tokens by kind", this.#tokens),
      ...counted("agent_tool_calls_total", "Tool calls by tool and outcome", this.#tools),
      ...Object.entries(gauges).flatMap(([name, value]) => [`# TYPE ${name} gauge`, `${name} ${value}`]),
      "",
    ].join("\n");
  }
}

const head = (name: string, help: string, type: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

const counted = (name: string, help: string, { series }: Counter): readonly string[] => [
  ...head(name, help, "counter"),
  ...[...series].map(([labels, value]) => `${name}{${labels}} ${value}`),
];

const timed = (name: string, help: string, histogram: Histogram): readonly string[] => [
  ...head(name, help, "histogram"),
  ...histogram.lines(name),
];
