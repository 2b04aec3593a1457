/**
 * The gateway: JSON-RPC 2.0 for terminals, editors, bots and web clients, on byte streams and on WebSockets.
 *
 * A prompt passes `transport/` (bytes to messages), `gateway/connection.ts` and `gateway/json-rpc-server.ts` (messages to
 * requests), `handlers/dispatch.ts` (the method and its parameters) and `handlers/prompts.ts`, which calls
 * `Session.submit`. Events come back through `gateway/session-follower.ts` and `encode/`.
 *
 * Lines and messages are those of `src/jsonrpc`. A connection on streams that begins with a `Content-Length` header is
 * read and written by vscode-jsonrpc, behind a limit on the length of messages; it is loaded for such a connection only.
 */
export { RpcGateway } from "./rpc-gateway.ts";
export type {
  About,
  ArchivePort,
  CommandOutput,
  CommandOptions,
  CommandPort,
  ConfigPort,
  DirectoryEntry,
  EnvironmentPort,
  FilePort,
  GatewayPorts,
  ImageFile,
  McpPort,
  SetupPort,
  SetupRequest,
  ConnectorPort,
  SkillPort,
} from "./ports.ts";
export type { SpawnTreeEntry } from "./protocol/processes.ts";
export { openRpcDocument } from "./protocol/open-rpc.ts";
export { LARGEST_ATTACHED_IMAGE } from "./handlers/attachments/images.ts";
export {
  type StreamConnection,
  type StreamEnd,
  type ServeStreamOptions,
  serveStream,
} from "./transport/stream.ts";
export type { SocketAdmission, SocketRefusal } from "./transport/admission.ts";
export {
  SOCKET_PATH,
  SocketGateway,
  type SocketListener,
  type SocketOptions,
} from "./transport/web-socket.ts";
export { type Accept, LARGEST_MESSAGE, type Peer, type Receiver, type Wire } from "./wire.ts";
