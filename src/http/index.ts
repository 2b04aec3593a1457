export type { Log, LogRecord } from "./kit/access-log.ts";
export { Metrics } from "./kit/metrics.ts";
export { secretFault } from "./kit/bearer.ts";
export type { Listen, Listening, Upgrade } from "./kit/server.ts";
export { apiServer, type ApiServer, type ApiServerOptions } from "./api-server.ts";
export type { ImageSource } from "./turns/images.ts";
export { API_DEFAULTS, type ApiSettings } from "./turns/settings.ts";
export type { SkillEntry } from "./v1/discovery.ts";
export type { Vitals } from "./v1/health.ts";
