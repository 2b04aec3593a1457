import { Hono, type MiddlewareHandler } from "hono";
import type { Host } from "../core/index.ts";
import { defined } from "../shared/json/defined.ts";
import type { ApiContext } from "./turns/api-context.ts";
import type { ServerLog } from "./server/access-log.ts";
import { addRoutes, type ApiRoute } from "./server/api-route.ts";
import { AdmissionControl } from "./server/admission.ts";
import type { HttpApp, HttpEnv } from "./server/context.ts";
import { keyAccess } from "./server/key-access.ts";
import { installMiddleware, withoutSlash } from "./server/middleware.ts";
import type { ListenAddress } from "./server/open-port.ts";
import { listen, type HttpServer, type Upgrade } from "./server/server.ts";
import { Metrics } from "./turns/metrics.ts";
import { EventStreams } from "./server/event-streams.ts";
import type { ImageSource } from "./turns/images.ts";
import { Runs } from "./turns/runs.ts";
import type { ApiSettings } from "./turns/settings.ts";
import { StatelessSweeper } from "./turns/stateless-sweeper.ts";
import { Turns } from "./turns/turns.ts";
import { IdempotencyStore } from "./turns/idempotency.ts";
import { openApiRoute } from "./server/openapi.ts";
import { CHAT_ROUTES } from "./v1/chat/routes.ts";
import { ConversationStore, type ConversationsContext } from "./v1/conversations/conversation-store.ts";
import { CONVERSATION_ROUTES } from "./v1/conversations/routes.ts";
import { discoveryRoutes, type SkillEntry } from "./v1/discovery.ts";
import { metricsRoute } from "./v1/metrics.ts";
import { RESPONSE_ROUTES } from "./v1/responses/routes.ts";
import { ResponseStore } from "./v1/responses/response-store.ts";
import { RUN_ROUTES } from "./v1/runs/routes.ts";
import { type ConnectorService, connectorRoutes } from "./api/connectors.ts";
import { type JobService, jobRoutes } from "./api/jobs/routes.ts";
import { PERSONA_ROUTES } from "./api/personas.ts";
import { SESSION_ROUTES } from "./api/sessions/routes.ts";
import { healthRoutes } from "./v1/health.ts";
import type { HealthSources, ProcessStats } from "./v1/health-sources.ts";

/** The parts of an API server. */
export interface ApiServerOptions {
  readonly settings: ApiSettings;
  readonly images: ImageSource;
  readonly stats: ProcessStats;
  readonly log: ServerLog;
  /** What the process around it knows of its health; absent, there is only this server. */
  readonly health?: HealthSources;
  /** The server's counters; new ones, which count no turns, by default. */
  readonly metrics?: Metrics;
  /** The skills of the agent; none by default. */
  readonly skills?: () => Promise<readonly SkillEntry[]>;
  /** The jobs of the home; absent, the jobs API answers that there is no scheduler. */
  readonly jobs?: JobService;
  /** The users on the roster; nobody by default. */
  readonly userOf?: ApiContext["userOf"];
  /** The chat platforms of the home; none by default. */
  readonly connectors?: ConnectorService;
}

/** An API server without a socket. */
export interface ApiServer {
  readonly app: HttpApp;
  /** Turns that this server began and that still run. */
  readonly running: number;
  /** Refuses new work from now on. */
  drain(): void;
  /** Tells all readers of streams that the server shuts down. */
  sayGoodbye(): void;
  listen(address: ListenAddress, upgrade?: Upgrade): Promise<HttpServer>;
  close(): void;
}

const DOCUMENT = {
  address: "GET /v1/openapi.json",
  title: "Agent API server",
  security: { bearer: { type: "http", scheme: "bearer" } },
  endpoint: "openapi",
} as const;

/** Makes the API server of a host. */
export function apiServer(host: Host, options: ApiServerOptions): ApiServer {
  const { settings, images, stats, log, metrics = new Metrics(), skills = noSkills } = options;
  const { clock, redactor, hex } = host.services;
  const admission = new AdmissionControl(settings.maxConcurrentRuns, settings.maxQueuedRuns);
  const streams = new EventStreams(clock, settings);
  const turns = new Turns(host, admission);
  const parts = { host, settings, admission, streams, turns, images };
  const api: ConversationsContext = {
    ...parts,
    ...defined({ userOf: options.userOf }),
    runs: new Runs(host, turns),
    idempotency: new IdempotencyStore(host, settings.key),
    responses: new ResponseStore(host, turns),
    conversations: new ConversationStore(host),
  };
  const routes: readonly ApiRoute<ConversationsContext>[] = [
    ...healthRoutes(stats, options.health),
    metricsRoute(metrics, stats),
    ...discoveryRoutes(settings.modelName, {
      since: Math.floor(stats.startedAt / 1000),
      routes: () => routes,
      skills,
    }),
    openApiRoute({ ...DOCUMENT, version: stats.version }, () => routes),
    ...CHAT_ROUTES,
    ...RESPONSE_ROUTES,
    ...CONVERSATION_ROUTES,
    ...RUN_ROUTES,
    ...SESSION_ROUTES,
    ...PERSONA_ROUTES,
    ...jobRoutes(options.jobs),
    ...connectorRoutes(options.connectors),
  ];
  const open = new Set<string>(routes.flatMap((route) => (route.open === true ? [route.path] : [])));
  const sweeper = new StatelessSweeper(host);
  const app: HttpApp = new Hono<HttpEnv>({ strict: false });
  installMiddleware(app, {
    check: keyAccess({ ...settings, isOpen: (path) => open.has(withoutSlash(path)) }),
    paths: "GET /v1/capabilities lists what there is.",
    clock,
    log,
    redactor,
    observe: (answer) => metrics.request(answer),
    newId: () => `req_${hex(8)}`,
  });
  app.use(endConnections(admission));
  addRoutes(app, api, routes);
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

/** While the server drains, who keeps a connection would come back to it, whatever a balancer knows. */
const endConnections =
  (admission: AdmissionControl): MiddlewareHandler<HttpEnv> =>
  async (c, next) => {
    await next();
    if (admission.draining) c.header("connection", "close");
  };

const noSkills = (): Promise<readonly SkillEntry[]> => Promise.resolve([]);
