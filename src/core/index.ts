export type { Attachment } from "./attachment.ts";
export type { ClientFiles, ClientTerminal, ClientTerminals, TerminalRequest } from "./client-io.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export { isSlashCommand, type MoreCommands, SlashCommands } from "./commands/catalogue.ts";
export type { CommandContext, CommandOutcome, SlashCommand } from "./commands/command.ts";
export { EFFORTS } from "./commands/setting-commands.ts";
export { grouped, ageOf } from "./commands/words.ts";
export type {
  BlobRef,
  DiffContent,
  ImagePart,
  LinkPart,
  Location,
  ResourcePart,
  TerminalContent,
  TextPart,
  ToolContent,
  UserPart,
} from "./content.ts";
export { promptText, textPart } from "./content.ts";
export {
  type AssistantMessage,
  Conversation,
  deriveConversation,
  type Marks,
  type ModelMessage,
  type ToolResultMessage,
} from "./conversation.ts";
export { type Defined, defined } from "./defined.ts";
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorDetails,
  type ErrorRecord,
  errorRecord,
  HostError,
  isErrorCode,
  messageOf,
  toHostError,
} from "./errors.ts";
export type {
  AgentEvent,
  Budget,
  DeltaEvent,
  DurableEvent,
  FinishReason,
  GivenMessage,
  LiveEvent,
  Prompt,
  QuestionPolicy,
  ReplyItems,
  Row,
  Segment,
  SessionEvent,
  SettingsPatch,
  Todo,
  ToolCall,
  ToolKind,
  ToolOutcome,
  TurnOutcome,
} from "./events.ts";
export { needFastTier } from "./fast-tier.ts";
export { fold, foldAll } from "./fold.ts";
export { type Begun, Host, openHost } from "./host.ts";
export type { BranchOptions, HostOptions, OpenOptions } from "./host-options.ts";
export { checkSessionId, newSessionId, type RandomHex, randomHex } from "./ids.ts";
export { type ImageSize, imageSize, imageTypeOf } from "./image-header.ts";
export { canonicalJson, cleanJson, isJsonObject, parseForeignJson } from "./json.ts";
export type {
  JsonSchema,
  Model,
  ModelListing,
  ModelPart,
  ModelRef,
  ModelRequest,
  Models,
  ToolSpec,
} from "./model.ts";
export { nearestName, nearNames } from "./nearest-name.ts";
export { environmentProxies, type Proxies, proxyFor } from "./proxies.ts";
export type { Accepted, BusyMode, Interrupted } from "./operations.ts";
export type { Origin, Platform } from "./origin.ts";
export type { Owner } from "./owner.ts";
export { type ApprovalMode, DEFAULT_POLICY, type Policy } from "./policy.ts";
export type { Submission } from "./prompting.ts";
export type {
  ApprovalChoice,
  ApprovalRequest,
  ClarifyRequest,
  QuestionRequest,
  QuestionResolved,
  Resolution,
  SecretRequest,
  SudoRequest,
} from "./question-events.ts";
export type { ReadOptions } from "./reader.ts";
export type { RecordDraft, RecordQuery, Records, StoredRecord } from "./records.ts";
export { createRedactor, type Redactor, type StreamRedactor } from "./redact.ts";
export { Rounds, type RoundsOptions } from "./rounds.ts";
export { decodeRow, encodeRow } from "./row-codec.ts";
export { type OnceOptions, type OnceResult, runOnce } from "./run-once.ts";
export { secretCheck } from "./secret-check.ts";
export type { Services, SystemPrompt } from "./services.ts";
export { type Answer, type Compression, type InterruptOptions, Session } from "./session.ts";
export {
  type CallState,
  type Counts,
  EMPTY_STATE,
  type OpenQuestion,
  type QueuedPrompt,
  type Range,
  type SessionState,
  type Settings,
  STATE_VERSION,
  type TurnState,
} from "./state.ts";
export { type SessionStatus, statusOf } from "./status.ts";
export type {
  AppendRequest,
  AppendResult,
  ChildRecord,
  Command,
  CommandResult,
  DeadHost,
  Head,
  ListQuery,
  Piece,
  ReadRequest,
  SessionRecord,
  Snapshot,
  Store,
  StoredRow,
} from "./store.ts";
export type {
  SubagentComplete,
  SubagentEvent,
  SubagentNews,
  SubagentRef,
  SubagentStatus,
} from "./subagents/subagent-events.ts";
export type { SubagentReport, SubagentTask } from "./subagents/subagent-task.ts";
export type { ActiveSubagent, Subagents } from "./subagents/subagents.ts";
export { defuse, findInvisible, findThreat, type ThreatKind } from "./text-threats.ts";
export { currentText, type DiskText, saveText } from "./through-editor.ts";
export { estimateText, estimateTokens } from "./tokens.ts";
export {
  type AnyTool,
  defineTool,
  type Permit,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  type ToolEffect,
  type ToolProgress,
  type ToolQuestion,
  type ToolResult,
  type ToolSession,
  type Toolset,
} from "./tool.ts";
export { enabledToolsets, toolTable, usableTools } from "./toolset.ts";
export {
  GIVEN,
  readTranscript,
  transcript,
  type TranscriptEntry,
  type TranscriptPage,
} from "./transcript.ts";
export { Turn } from "./turn-handle.ts";
export type { TurnResult } from "./turn-waiters.ts";
export { urlHost, urlPort } from "./url-parts.ts";
export { addUsage, NO_USAGE, type Usage } from "./usage.ts";
