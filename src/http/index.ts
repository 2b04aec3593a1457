export type { ServerLog, ServerLogRecord } from "./server/access-log.ts";
export { Metrics } from "./turns/metrics.ts";
export { secretFault } from "./server/bearer.ts";
export type { ListenAddress } from "./server/open-port.ts";
export { listen, type HttpServer, type Upgrade } from "./server/server.ts";
export { apiServer, type ApiServer, type ApiServerOptions } from "./api-server.ts";
export type { ConnectorService } from "./api/connectors.ts";
export type { JobService } from "./api/jobs/routes.ts";
export type { ImageSource } from "./turns/images.ts";
export { API_DEFAULTS, type ApiSettings } from "./turns/settings.ts";
export type { SkillEntry } from "./v1/discovery.ts";
export type {
  HealthSources,
  LastExit,
  PlatformState,
  ProcessStats,
  SandboxHealth,
} from "./v1/health-sources.ts";
export { healthChecks } from "./v1/health-checks.ts";
