export { type ConnectOptions, McpConnections } from "./connections.ts";
export type { McpServer, ServerProcess, StartRequest, StartServer } from "./server.ts";
