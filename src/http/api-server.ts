import { Hono } from "hono";
import type { Host } from "../core/index.ts";
import type { Log } from "./server/access-log.ts";
import { Admission } from "./server/admission.ts";
import type { ApiApp, ApiEnv } from "./server/context.ts";
import { frame } from "./server/frame.ts";
import { type Listen, listen, type Listening, type Upgrade } from "./server/server.ts";
import { Metrics } from "./server/metrics.ts";
import { Streams } from "./server/streams.ts";
import type { Desk } from "./turns/desk.ts";
import type { ImageSource } from "./turns/images.ts";
import { Runs } from "./turns/runs.ts";
import type { ApiSettings } from "./turns/settings.ts";
import { StatelessSweeper } from "./turns/stateless-sweeper.ts";
import { Turns } from "./turns/turns.ts";
import { WorkKeys } from "./turns/work-keys.ts";
import { openApiRoute } from "./openapi.ts";
import { operations } from "./operations.ts";
import { chatRoutes } from "./v1/chat/routes.ts";
import { discoveryRoutes, type SkillEntry } from "./v1/discovery.ts";
import { metricsRoute } from "./v1/metrics.ts";
import { responseRoutes } from "./v1/responses/routes.ts";
import { Responses } from "./v1/responses/stored.ts";
import { runRoutes } from "./v1/runs/routes.ts";
import { type JobBook, jobRoutes } from "./api/jobs/routes.ts";
import { sessionRoutes } from "./api/sessions/routes.ts";
import { healthRoutes, OPEN_PATHS, type Vitals } from "./v1/health.ts";

/** What the API server is made of. */
export interface ApiServerOptions {
  readonly settings: ApiSettings;
  readonly images: ImageSource;
  readonly vitals: Vitals;
  readonly log: Log;
  /** Counts what is done; one of its own, which knows of no turns, by default. */
  readonly metrics?: Metrics;
  /** The skills of the agent; none by default. */
  readonly skills?: () => Promise<readonly SkillEntry[]>;
  /** The jobs of the home; without it the jobs API says that there is no scheduler. */
  readonly jobs?: JobBook;
}

/** The API server without a socket: its app, and what ends its work. */
export interface ApiServer {
  readonly app: ApiApp;
  /** Turns that this server began and that still run. */
  readonly running: number;
  /** From now on new work is refused. */
  drain(): void;
  /** Tells all readers of streams that the server goes. */
  sayGoodbye(): void;
  /** Listens on an address. */
  listen(address: Listen, upgrade?: Upgrade): Promise<Listening>;
  close(): void;
}

/** Makes the API server of a host. */
export function apiServer(host: Host, options: ApiServerOptions): ApiServer {
  const { settings, images, vitals, log } = options;
  const { clock, redactor, hex } = host.services;
  const admission = new Admission(settings.maxConcurrentRuns);
  const streams = new Streams(clock, settings);
  const turns = new Turns(host, admission);
  const keys = new WorkKeys(host, settings.key);
  const runs = new Runs(host, turns);
  const desk: Desk = { host, settings, admission, streams, turns, runs, keys, images };
  const { metrics = new Metrics() } = options;
  const sweeper = new StatelessSweeper(host);
  const app: ApiApp = new Hono<ApiEnv>();
  frame(app, {
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
  healthRoutes(app, desk, vitals);
  metricsRoute(app, desk, { metrics, vitals });
  discoveryRoutes(app, desk, {
    since: Math.floor(vitals.startedAt / 1000),
    skills: options.skills ?? (() => Promise.resolve([])),
  });
  openApiRoute(app, { version: vitals.version, operations: operations(options.jobs?.shapes) });
  chatRoutes(app, desk);
  const responses = new Responses(host);
  responseRoutes(app, desk, responses);
  runRoutes(app, desk, responses);
  sessionRoutes(app, desk);
  jobRoutes(app, desk, options.jobs);
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
