import type { Row } from "../../core/index.ts";

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Label values of one metric; what comes beyond is counted as `other`. */
const MOST_SERIES = 200;
/** Turns whose start is remembered. */
const MOST_TURNS = 10_000;

/** A number that only rises, for each set of labels. */
class Counter {
  readonly series = new Map<string, number>();

  add(labels: string, by = 1): void {
    const key = this.series.has(labels) || this.series.size < MOST_SERIES ? labels : 'other="true"';
    this.series.set(key, (this.series.get(key) ?? 0) + by);
  }
}

/** How long things took. */
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

/** What a server has done since its start, for those who watch many of them. */
export class Metrics {
  readonly #requests = new Counter();
  readonly #requestSeconds = new Histogram();
  readonly #turns = new Counter();
  readonly #turnSeconds = new Histogram();
  readonly #tokens = new Counter();
  readonly #tools = new Counter();
  readonly #modelCalls = new Counter();
  readonly #started = new Map<string, number>();

  request({
    route,
    status,
    ms,
  }: {
    readonly route: string;
    readonly status: number;
    readonly ms: number;
  }): void {
    this.#requests.add(`${label("route", route)},status="${status}"`);
    this.#requestSeconds.add(ms / 1000);
  }

  /** Counts a row of any session's log. */
  row({ event, at }: Row): void {
    switch (event.type) {
      case "turn.start":
        if (this.#started.size < MOST_TURNS) this.#started.set(event.turnId, at);
        return;
      case "reply.complete":
        this.#modelCalls.add(`${label("provider", event.provider)},${label("model", event.model)}`);
        return;
      case "tool.complete":
        this.#tools.add(`${label("tool", event.name)},outcome="${event.outcome}"`);
        return;
      case "turn.end": {
        const started = this.#started.get(event.turnId);
        this.#started.delete(event.turnId);
        if (started !== undefined) this.#turnSeconds.add((at - started) / 1000);
        this.#turns.add(`outcome="${event.outcome}"`);
        const { input, output, reasoning, cacheRead } = event.usage;
        for (const [kind, tokens] of Object.entries({ input, output, reasoning, cache_read: cacheRead }))
          if (tokens > 0) this.#tokens.add(`kind="${kind}"`, tokens);
        return;
      }
      default:
    }
  }

  /** Everything in the text format of Prometheus. */
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
