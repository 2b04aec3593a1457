export type { AcpPorts, McpLinks, McpRequest, McpServerSpec, ReadableFolders } from "./ports.ts";
export { serveAcp, type ServeOptions } from "./serve.ts";
export type { AcpTransport } from "./connection/outbox.ts";
