export { type LinksOptions, McpLinks, type McpServerStatus } from "./links.ts";
export type { McpServer, ProcessServer, WebServer } from "./server.ts";
export type {
  McpWorld,
  Sample,
  SampleRequest,
  ServerProcess,
  ServerWeb,
  StartRequest,
  StartServer,
  WebFetch,
} from "./world.ts";
