export { type McpClientsOptions, McpClients, type McpServerStatus } from "./clients.ts";
export { type BegunLogin, beginLogin } from "./oauth/begin-login.ts";
export { type McpLogin, mcpLogin, type McpLoginPorts, type McpLoginStore } from "./oauth/login.ts";
export type { McpServer, ProcessServer, WebServer } from "./server.ts";
export type { McpHost, Sample, SampleRequest, ServerProcess, StartRequest, StartServer } from "./host.ts";
export type { ServerWeb } from "./server-web.ts";
