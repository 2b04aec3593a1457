import { Hono } from "hono";
import type { Host } from "../core/index.ts";
import type { ServerLog } from "./server/access-log.ts";
import { AdmissionControl } from "./server/admission.ts";
import type { HttpApp, HttpEnv } from "./server/context.ts";
import { installMiddleware } from "./server/middleware.ts";
import { type ListenAddress, listen, type HttpServer, type Upgrade } from "./server/server.ts";
import { Metrics } from "./server/metrics.ts";
import { EventStreams } from "./server/event-streams.ts";
import type { ApiContext } from "./turns/api-context.ts";
import type { ImageSource } from "./turns/images.ts";
import { Runs } from "./turns/runs.ts";
import type { ApiSettings } from "./turns/settings.ts";
import { StatelessSweeper } from "./turns/stateless-sweeper.ts";
import { Turns } from "./turns/turns.ts";
import { IdempotencyStore } from "./turns/idempotency.ts";
import { openApiRoute } from "./openapi.ts";
import { operations } from "./operations.ts";
import { chatRoutes } from "./v1/chat/routes.ts";
import { discoveryRoutes, type SkillEntry } from "./v1/discovery.ts";
import { metricsRoute } from "./v1/metrics.ts";
import { responseRoutes } from "./v1/responses/routes.ts";
import { ResponseStore } from "./v1/responses/response-store.ts";
import { runRoutes } from "./v1/runs/routes.ts";
import { type JobService, jobRoutes } from "./api/jobs/routes.ts";
import { sessionRoutes } from "./api/sessions/routes.ts";
import { healthRoutes, OPEN_PATHS, type ProcessStats } from "./v1/health.ts";

/** What the API server is made of. */
export interface ApiServerOptions {
  readonly settings: ApiSettings;
  readonly images: ImageSource;
  readonly vitals: ProcessStats;
  readonly log: ServerLog;
  /** Counts what is done; one of its own, which knows of no turns, by default. */
  readonly metrics?: Metrics;
  /** The skills of the agent; none by default. */
  readonly skills?: () => Promise<readonly SkillEntry[]>;
  /** The jobs of the home; without it the jobs API says that there is no scheduler. */
  readonly jobs?: JobService;
}

/** The API server without a socket: its app, and what ends its work. */
export interface ApiServer {
  readonly app: HttpApp;
  /** Turns that this server began and that still run. */
  readonly running: number;
  /** From now on new work is refused. */
  drain(): void;
  /** Tells all readers of streams that the server goes. */
  sayGoodbye(): void;
  /** Listens on an address. */
  listen(address: ListenAddress, upgrade?: Upgrade): Promise<HttpServer>;
  close(): void;
}

/** Makes the API server of a host. */
export function apiServer(host: Host, options: ApiServerOptions): ApiServer {
  const { settings, images, vitals, log } = options;
  const { clock, redactor, hex } = host.services;
  const admission = new AdmissionControl(settings.maxConcurrentRuns);
  const streams = new EventStreams(clock, settings);
  const turns = new Turns(host, admission);
  const idempotency = new IdempotencyStore(host, settings.key);
  const runs = new Runs(host, turns);
  const api: ApiContext = { host, settings, admission, streams, turns, runs, idempotency, images };
  const { metrics = new Metrics() } = options;
  const sweeper = new StatelessSweeper(host);
  const app: HttpApp = new Hono<HttpEnv>();
  installMiddleware(app, {
    key: settings.key,
    corsOrigins: settings.corsOrigins,
    hostNames: settings.hostNames,
    isOpen: (path) => OPEN_PATHS.has(path),
    clock,
    log,
    redactor,
    observe: (answer) => metrics.request(answer),
    newId: () => `req_${hex(8)}`,
  });
  healthRoutes(app, api, vitals);
  metricsRoute(app, api, { metrics, vitals });
  discoveryRoutes(app, api, {
    since: Math.floor(vitals.startedAt / 1000),
    skills: options.skills ?? (() => Promise.resolve([])),
  });
  openApiRoute(app, { version: vitals.version, operations: operations(options.jobs?.shapes) });
  chatRoutes(app, api);
  const responses = new ResponseStore(host);
  responseRoutes(app, api, responses);
  runRoutes(app, api, responses);
  sessionRoutes(app, api);
  jobRoutes(app, api, options.jobs);
  return {
    app,
    get running() {
      return admission.running;
    },
    drain: () => admission.drain(),
    sayGoodbye: () => streams.close("the server is shutting down"),
    listen: (address, upgrade) => listen(app, address, upgrade),
    close: () => sweeper.close(),
  };
}
