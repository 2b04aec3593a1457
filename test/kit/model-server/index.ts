export { type FixedServer, type FixedServerOptions, startFixedServer } from "./fixed.ts";
export { field, type RecordedRequest } from "./recorded.ts";
export {
  BREAKS,
  callTool,
  type Fault,
  type FaultName,
  type Gate,
  gate,
  INTRUSIONS,
  type PlainAnswer,
  type Position,
  POSITIONS,
  rawEvent,
  reply,
  type Reply,
  type ReplyUsage,
  say,
  type Step,
  think,
  waitAt,
} from "./reply.ts";
export { flood, gzipBomb, shortBody, streamOf } from "./odd-answers.ts";
export {
  type Answer,
  type ModelServer,
  type ModelServerOptions,
  refusingUrl,
  startModelServer,
} from "./server.ts";
