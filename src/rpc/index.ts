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
  SkillPort,
  SpawnTreeEntry,
} from "./ports.ts";
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
export { type Accept, LARGEST_MESSAGE, type Receiver, type Wire } from "./wire.ts";
