export { type McpClientsOptions, McpClients, type McpServerStatus } from "./clients.ts";
export type { McpServer, ProcessServer, WebServer } from "./server.ts";
export type {
  McpHost,
  Sample,
  SampleRequest,
  ServerProcess,
  ServerWeb,
  StartRequest,
  StartServer,
  WebFetch,
} from "./host.ts";
