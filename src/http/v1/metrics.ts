import type { HttpApp } from "../server/context.ts";
import type { Metrics } from "../server/metrics.ts";
import type { ApiContext } from "../turns/api-context.ts";
import type { ProcessStats } from "./health.ts";

const PROMETHEUS = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };

/** `GET /metrics`: what the server has done and does, in the text format of Prometheus. */
export function metricsRoute(
  app: HttpApp,
  api: ApiContext,
  { metrics, vitals }: { readonly metrics: Metrics; readonly vitals: ProcessStats },
): void {
  const { host, admission, streams } = api;
  app.get("/metrics", (c) => {
    const { p50, p99, max } = vitals.loopDelay();
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
      process_resident_memory_bytes: vitals.memory().rss,
    };
    return c.newResponse(metrics.text(gauges), 200, PROMETHEUS);
  });
}
