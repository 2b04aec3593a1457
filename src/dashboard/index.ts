export { type ConnectorControl, connectorPageRoutes, type ConnectorRow } from "./api/connector-routes.ts";
export { type JobPort, jobPageRoutes } from "./api/job-routes.ts";
export { type ModelPort, modelPageRoutes, type ModelRow, type ProviderRow } from "./api/model-routes.ts";
export { type LogLine, type LogPort, logPageRoutes } from "./api/log-routes.ts";
export { type MemoryPort, memoryPageRoutes } from "./api/memory-routes.ts";
export { type DiskPart, type HealthRow, type SystemPort, systemPageRoutes } from "./api/system-routes.ts";
export { type Dashboard, type DashboardOptions, openDashboard } from "./dashboard-server.ts";
export { EntryCodes } from "./sign-in/entry-codes.ts";
export { resetOperator } from "./sign-in/reset-operator.ts";
