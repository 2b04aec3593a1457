export { RpcGateway } from "./rpc-gateway.ts";
export type {
  About,
  ArchivePort,
  CommandEnd,
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
  SetupWish,
  SkillPort,
  SpawnTreeEntry,
} from "./ports.ts";
export { openRpcDocument } from "./protocol/open-rpc.ts";
export { LARGEST_IMAGE } from "./handlers/images.ts";
export {
  type StreamConnection,
  type StreamEnd,
  type StreamOptions,
  serveStream,
} from "./transport/stream.ts";
export type { Admission, Refusal } from "./transport/admission.ts";
export {
  SOCKET_PATH,
  SocketGateway,
  type SocketListener,
  type SocketOptions,
} from "./transport/web-socket.ts";
export { type Accept, LARGEST_MESSAGE, type Receiver, type Wire } from "./wire.ts";
