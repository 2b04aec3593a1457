import { type ApiRoute, route } from "../server/api-route.ts";
import type { Metrics } from "../turns/metrics.ts";
import type { ApiContext } from "../turns/api-context.ts";
import type { ProcessStats } from "./health-sources.ts";

const PROMETHEUS = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };

/** Declares the route that tells the server's counters and gauges, in the text format of Prometheus. */
export const metricsRoute = (metrics: Metrics, stats: ProcessStats): ApiRoute<ApiContext> =>
  route(
    "GET /metrics",
    (c, { host, admission, streams }) => {
      const { p50, p99, max } = stats.loopDelay();
      const queued = host.live().reduce((sum, { state }) => sum + state.queue.length, 0);
      const gauges = {
        agent_runs_active: admission.running,
        agent_turns_running: host.running,
        agent_prompts_queued: queued,
        agent_sessions_live: host.live().length,
        agent_streams_open: streams.size,
        agent_event_loop_delay_p50_seconds: p50,
        agent_event_loop_delay_p99_seconds: p99,
        agent_event_loop_delay_max_seconds: max,
        process_resident_memory_bytes: stats.memory().rss,
      };
      return c.newResponse(metrics.text(gauges), 200, PROMETHEUS);
    },
    {
      id: "metrics",
      summary: "Counters and gauges in the text format of Prometheus",
      endpoint: "metrics",
      plain: true,
    },
  );
