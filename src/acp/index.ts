export type { AcpPorts, McpLinks, McpRequest, McpServerSpec, ReadableFolders } from "./ports.ts";
export { type AcpTransport, serveAcp, type ServeOptions } from "./serve.ts";
