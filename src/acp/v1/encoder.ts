import type { SessionUpdate, ToolCallContent, ToolCallStatus } from "@agentclientprotocol/sdk/unstable";
import { contentText, type DiffContent, type ToolOutcome } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { fenced, type Images, NO_IMAGES, textBlock, userBlocks } from "../projection/content-blocks.ts";
import type { ProjectedCall } from "../projection/conversation-update.ts";
import { exitStatus } from "../projection/terminal-stream.ts";
import { failureText, stopReasonOf } from "../projection/turn-end.ts";
import {
  callContent,
  type EncodeContext,
  notShown,
  shownCall,
  UpdateEncoder,
  type UpdateEncoders,
  type UpdateOf,
} from "../projection/update-encoder.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import { commandsUpdate, configOptions } from "./options.ts";
import { agentMessage, callRuns, COMMON_ENCODERS, compaction, notice, thought } from "./single-updates.ts";

/** Encoder of one session's updates for protocol version 1. */
export class V1Encoder extends UpdateEncoder<SessionUpdate> {
  readonly #capabilities: ClientCapabilities;

  protected readonly encoders: UpdateEncoders<SessionUpdate> = {
    ...COMMON_ENCODERS,
    // The answer to a prompt says that its turn is over.
    "turn.start": notShown,
    state: notShown,
    user: ({ messageId, parts }, { images }) =>
      userBlocks(parts, images).map((content) => ({
        sessionUpdate: "user_message_chunk",
        messageId,
        content,
      })),
    "call.start": ({ call }) => [this.#callStart(call)],
    "call.runs": (update) => [this.#callRuns(update)],
    "call.progress": (update) => this.#progress(update),
    "call.end": (update, { images }) => this.#callEnd(update, images),
    plan: ({ todos }) => [planUpdate(todos)],
    notice: (update) => this.#notice(update),
    // A client without a place for notices shows a thought: a wait of a minute must not look like a hang.
    waiting: ({ messageId, text }) => [
      this.#capabilities.notices ? notice("info", text) : thought(messageId, `${text}\n`),
    ],
    compaction: (update) => (this.#capabilities.compaction ? [compaction(update)] : []),
    "turn.end": (update, context) => this.#turnEnd(update, context),
    options: ({ options }) => [
      { sessionUpdate: "config_option_update", configOptions: configOptions(options) },
    ],
    mode: ({ mode }) => [{ sessionUpdate: "current_mode_update", currentModeId: mode }],
    commands: ({ commands }) => [commandsUpdate(commands)],
  };

  constructor(capabilities: ClientCapabilities) {
    super();
    this.#capabilities = capabilities;
  }

  override showClientTerminal(callId: string, terminalId: string): readonly SessionUpdate[] {
    const call = this.running.get(callId);
    if (call !== undefined) call.clientTerminal = terminalId;
    return [{ sessionUpdate: "tool_call_update", toolCallId: callId, content: [terminal(terminalId)] }];
  }

  #callStart(call: ProjectedCall): SessionUpdate {
    const { callId, title, name, kind, asks, input, content, locations } = call;
    const isStreamed = kind === "execute" && this.#capabilities.terminalOutput;
    this.running.set(callId, shownCall(call, isStreamed));
    return {
      sessionUpdate: "tool_call",
      toolCallId: callId,
      title,
      name,
      kind,
      status: asks ? "pending" : "in_progress",
      content: isStreamed
        ? [terminal(callId)]
        : callContent(content, { kind, images: NO_IMAGES }, encodeDiff),
      locations: [...locations],
      rawInput: input,
      // The display of a command is named after its call.
      ...(isStreamed ? { _meta: { terminal_info: { terminal_id: callId } } } : {}),
    };
  }

  /** Brings the display back, in whose place a client may show the content of a permission request. */
  #callRuns({ callId }: UpdateOf<"call.runs">): SessionUpdate {
    const isStreamed = this.running.get(callId)?.stream !== undefined;
    return { ...callRuns(callId), ...(isStreamed ? { content: [terminal(callId)] } : {}) };
  }

  #progress({ callId, preview, output }: UpdateOf<"call.progress">): readonly SessionUpdate[] {
    const call = this.running.get(callId);
    if (call === undefined || call.clientTerminal !== undefined || call.shows === "diff") return [];
    if (call.stream === undefined)
      return [{ ...callRuns(callId), content: [{ type: "content", content: textBlock(fenced(preview)) }] }];
    const data = output === undefined ? "" : call.stream.push(output);
    return data === "" ? [] : [{ ...callRuns(callId), _meta: terminalOutput(callId, data) }];
  }

  #callEnd(update: UpdateOf<"call.end">, images: Images): readonly SessionUpdate[] {
    const { callId, kind, outcome, content, locations } = update;
    const call = this.running.get(callId);
    this.running.delete(callId);
    const end: CallUpdate = {
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      status: STATUS[outcome],
      ...(locations === undefined ? {} : { locations: [...locations] }),
    };
    if (call?.clientTerminal !== undefined) return [{ ...end, content: [terminal(call.clientTerminal)] }];
    if (call?.stream === undefined)
      return [{ ...end, content: callContent(content, { kind, images }, encodeDiff) }];
    const rest = call.stream.end(contentText(content));
    const { exitCode, signal } = exitStatus(content);
    const terminal_exit = { terminal_id: callId, ...defined({ exit_code: exitCode, signal }) };
    const last: CallUpdate = { ...end, _meta: { terminal_exit } };
    if (rest === "") return [last];
    return [
      { sessionUpdate: "tool_call_update", toolCallId: callId, _meta: terminalOutput(callId, rest) },
      last,
    ];
  }

  #notice({ id, level, text, important }: UpdateOf<"notice">): readonly SessionUpdate[] {
    if (this.#capabilities.notices) return [notice(level, text)];
    return important ? [agentMessage(id, text)] : [];
  }

  /** Shows how a turn failed, unless the answer to the client's own request says so. */
  #turnEnd({ end }: UpdateOf<"turn.end">, { isAnswered }: EncodeContext): readonly SessionUpdate[] {
    const text = failureText(end);
    // Only an error carries the text to the client; a limit is an answer like any other.
    if (text === undefined || (isAnswered && stopReasonOf(end) === "error")) return [];
    if (this.#capabilities.notices) return [notice("error", text)];
    return [agentMessage(`${end.turnId}.failure`, text)];
  }
}

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;

const STATUS: Readonly<Record<ToolOutcome, ToolCallStatus>> = {
  ok: "completed",
  error: "failed",
  denied: "failed",
  cancelled: "failed",
  unknown: "failed",
};

/** Writes a change of a file. */
export const encodeDiff = ({ path, oldText, newText }: DiffContent) =>
  ({ type: "diff", path, newText, ...(oldText === null ? {} : { oldText }) }) as const;

const terminal = (terminalId: string): ToolCallContent => ({ type: "terminal", terminalId });

const terminalOutput = (callId: string, data: string) => ({ terminal_output: { terminal_id: callId, data } });

/** Writes a plan. This version has no word for a step that was given up: it is left out. */
function planUpdate(todos: UpdateOf<"plan">["todos"]): SessionUpdate {
  const entries = todos.flatMap(({ content, status }) =>
    status === "cancelled" ? [] : [{ content, status, priority: "medium" as const }],
  );
  return { sessionUpdate: "plan", entries };
}
