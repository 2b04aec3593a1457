export type { Attachment } from "./ports/attachment.ts";
export type {
  ChangedFile,
  ChangeMark,
  Checkpoints,
  FilePast,
  FileReason,
  FileRestore,
  PlannedChange,
  RestoredFiles,
  TurnFiles,
} from "./ports/checkpoints.ts";
export type { ClientFiles, ClientTerminal, ClientTerminals, TerminalRequest } from "./ports/client-io.ts";
export { type Clock, sleep, systemClock } from "../shared/async/clock.ts";
export { isSlashCommand, type ExtraCommands, SlashCommands } from "./commands/slash-commands.ts";
export {
  type CommandContext,
  defineCommands,
  requireSession,
  done,
  type SlashCommandResult,
  type SlashCommand,
} from "./commands/slash-command.ts";
export { checkpointLine, rewoundText } from "./commands/rewind-commands.ts";
export { EFFORTS } from "./commands/setting-commands.ts";
export type {
  BlobRef,
  HandedFile,
  DiffContent,
  ImagePart,
  LinkPart,
  Location,
  ResourcePart,
  TerminalContent,
  TextPart,
  ToolContent,
  UserPart,
} from "./events/content.ts";
export { contentText, promptText, segmentText, textPart } from "./events/content.ts";
export type { PastPrompt } from "./conversation/past-prompts.ts";
export { findPrompt, type FoundPrompt } from "./session/find-prompt.ts";
export { SAID_IN, saidWords } from "./conversation/said-words.ts";
export { Conversation, type HistoryEdits, deriveConversation } from "./conversation/conversation.ts";
export type { AssistantMessage, ModelMessage, ToolResultMessage } from "./ports/model-message.ts";
export type { BranchOptions, OpenOptions } from "./session/open-options.ts";
export type { Past, PastEvent } from "./session/past.ts";
export type { Checkpoint, RewindScope, RewindWish, Rewound, TurnChoice } from "./session/rewind.ts";
export { rehearseOpening } from "./session/first-rows.ts";
export { checkSessionId, newSessionId } from "./session/session-id.ts";
export {
  type FoundSession,
  newestSession,
  type NewestSession,
  sameTitleNote,
} from "./session/look-up-session.ts";
export type { RandomHex } from "../shared/crypto/random-hex.ts";
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
} from "../shared/errors/host-error.ts";
export type {
  AgentEvent,
  DeltaEvent,
  DurableEvent,
  LiveEvent,
  Row,
  SessionEvent,
  SessionMode,
  SettingsPatch,
  TurnOutcome,
} from "./events/events.ts";
export { isDelta, type TextEvent } from "./events/delta.ts";
export { cutAnswer } from "./events/reply.ts";
export type {
  FinishReason,
  ReplyItems,
  Segment,
  Todo,
  ToolCall,
  ToolKind,
  ToolOutcome,
} from "./events/reply.ts";
export { chosenModel } from "./session/chosen-model.ts";
export { requireFastTier } from "./turn/turn-model.ts";
export { fold, foldAll } from "./state/fold.ts";
export { type Begun, Host, openHost } from "./host.ts";
export type { HostOptions } from "./host-options.ts";
export { type HeldRole, RecordLease } from "./record-lease.ts";
export type {
  JsonSchema,
  Model,
  ModelListing,
  ModelPart,
  ModelParts,
  ModelRef,
  ModelRequest,
  Models,
  ToolSpec,
} from "./ports/model.ts";
export { environmentProxies, type Proxies, proxyFor } from "../shared/net/proxies.ts";
export type { Accepted, BusyMode, Interrupted } from "./session/prompt-operations.ts";
export {
  type GivenMessage,
  type Origin,
  personName,
  senderName,
  type Platform,
  type Prompt,
  type QuestionPolicy,
} from "./events/prompt.ts";
export type { HomeMachine } from "./events/home-machine.ts";
export type { LogTail } from "./log/log-tail.ts";
export type { FollowedSession, Peers } from "./ports/peers.ts";
export type { Machines } from "./ports/machines.ts";
export { type ApprovalMode, DEFAULT_POLICY, type Policy } from "./ports/policy.ts";
export type { Submission } from "./session/submission.ts";
export type {
  ApprovalChoice,
  AlwaysScope,
  ApprovalRequest,
  ClarifyRequest,
  CommandSide,
  QuestionRequest,
  QuestionResolved,
  Resolution,
  SecretRequest,
  SudoRequest,
} from "./events/question-events.ts";
export { FEED_TYPES, type FeedPage, type FeedRow } from "./ports/feed.ts";
export type { PageOptions, ReadOptions } from "./log/reader.ts";
export { type Budget, budgetSubject, userOfBudget } from "./events/budget.ts";
export type { Persona } from "./events/persona.ts";
export {
  modelChoice,
  NO_PERSONA,
  type Personas,
  type PersonaSession,
  requirePersona,
} from "./ports/persona.ts";
export type { RecordDraft, RecordQuery, Records, StoredRecord } from "./ports/records.ts";
export { createRedactor, type Redactor, type StreamRedactor } from "../shared/text/redact.ts";
export { PollingWorker, type PollingWorkerOptions } from "../shared/async/polling-worker.ts";
export { decodeRow, encodeRow } from "./log/row-codec.ts";
export { type OnceOptions, type OnceResult, runOnce } from "./run-once.ts";
export type { Services, SystemPrompt } from "./ports/services.ts";
export type { Compression } from "./session/compress-session.ts";
export { type QuestionAnswer, type InterruptOptions, Session } from "./session.ts";
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
} from "./state/state.ts";
export { isQuestion } from "./events/question-events.ts";
export { type QuestionText, questionText } from "./questions/question-text.ts";
export { interruptionOf, type Owner, type SessionStatus, statusOf } from "./state/status.ts";
export { MODE_WORDS, modeNamed, modeOf, nextMode, SESSION_MODES } from "./questions/session-mode.ts";
export { SOMEWHERE } from "./questions/denials.ts";
export type {
  AppendRequest,
  AppendResult,
  ChildRecord,
  Command,
  CommandDraft,
  CommandResult,
  DeadHost,
  Head,
  HostChange,
  Piece,
  PieceSave,
  FoundKind,
  FoundPlace,
  ReadRequest,
  TextHit,
  SearchPage,
  TextQuery,
  SessionRecord,
  Snapshot,
  Store,
} from "./ports/store.ts";
export type { ListQuery, SessionDoing, SessionFilter } from "./ports/session-list.ts";
export type { StoredRow } from "./ports/stored-row.ts";
export type {
  NamedUsage,
  PersonUsage,
  PersonUsageQuery,
  Spread,
  UsagePart,
  UsageQuery,
  UsageReport,
  UsageSums,
} from "./ports/usage.ts";
export type { BudgetPayer, PeopleBudgets } from "./ports/people-budgets.ts";
export { goOn } from "./session/go-on.ts";
export { countedTokens } from "./subagents/budget.ts";
export type {
  SubagentComplete,
  SubagentEvent,
  SubagentNews,
  SubagentRef,
  SubagentStatus,
} from "./events/subagent-events.ts";
export type { SubagentReport, SubagentTask } from "./ports/tool.ts";
export type { ActiveSubagent, SubagentManager } from "./subagents/subagent-manager.ts";
export { currentText, type DiskText, saveText } from "./ports/through-editor.ts";
export { estimateText, estimateTokens, IMAGE_TOKENS, MESSAGE_TOKENS } from "./conversation/tokens.ts";
export {
  type AnyTool,
  defineTool,
  type Permit,
  type GrantQuestion,
  type OfferedTo,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  type ToolEffect,
  type ToolProgress,
  type ToolQuestion,
  type ToolResult,
  type ToolRun,
  type ToolSession,
  type Toolset,
} from "./ports/tool.ts";
export {
  configuredToolsets,
  enabledToolsets,
  sessionToolsets,
  offeredTools,
  toolsByName,
  usableTools,
} from "./turn/toolset.ts";
export {
  GIVEN_SURFACE,
  readTranscript,
  transcript,
  type TranscriptEntry,
  type TranscriptPage,
} from "./conversation/transcript.ts";
export { blobNotFound } from "./log/errors.ts";
export { type UserOpenOptions, UserSessions } from "./user-sessions.ts";
export { Turn } from "./session/turn-handle.ts";
export type { TurnResult } from "./session/turn-waiters.ts";
export { addUsage, NO_USAGE, type Usage } from "./events/usage.ts";
export { readTimeline, type TimelinePage } from "./timeline/read-timeline.ts";
export {
  type TimeSpan,
  SPAN_KINDS,
  type SpanKind,
  type TurnSegment,
  type TurnTimeline,
} from "./timeline/spans.ts";
export { joinPieces } from "./log/expand.ts";
export { camelCased, eventLine } from "./log/event-line.ts";
export { conversationMarkdown } from "./conversation/markdown.ts";
export { nextPrompt } from "./state/queue.ts";
