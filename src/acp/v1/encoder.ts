import type { SessionUpdate, ToolCallContent, ToolCallStatus } from "@agentclientprotocol/sdk/unstable";
import { contentText, type ToolContent, type ToolKind, type ToolOutcome } from "../../core/index.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import { fenced, type Images, resultBlocks, textBlock, userBlocks } from "../projection/content-blocks.ts";
import type { EncodeContext, UpdateEncoder } from "../projection/update-encoder.ts";
import { failureText } from "../projection/failure-text.ts";
import { stopReasonOf } from "../projection/turn-end.ts";
import { TerminalStream } from "../projection/terminal-stream.ts";
import type { ConversationUpdate, ProjectedCall } from "../projection/conversation-update.ts";
import type { StatusUpdate } from "../projection/status-update.ts";
import { commandsUpdate, configOptions } from "./options.ts";

type ShownOf<T extends ConversationUpdate["type"]> = Extract<ConversationUpdate, { type: T }>;

/** How a running call is displayed: its command in a terminal of the client's, or in one that is fed; else as content. */
interface RunningCall {
  readonly shows: "diff" | "content";
  readonly feed?: TerminalStream;
  clientTerminal?: string;
}

/** Encodes one session for protocol version 1. */
export class V1Encoder implements UpdateEncoder {
  readonly #abilities: ClientCapabilities;
  readonly #running = new Map<string, RunningCall>();

  constructor(abilities: ClientCapabilities) {
    this.#abilities = abilities;
  }

  encode(shown: ConversationUpdate | StatusUpdate, context: EncodeContext): readonly SessionUpdate[] {
    switch (shown.type) {
      case "turn.start":
      case "state":
        // The answer to a prompt says that its turn is over.
        return [];
      case "user":
        return userBlocks(shown.parts, context.images).map((content) => ({
          sessionUpdate: "user_message_chunk",
          messageId: shown.messageId,
          content,
        }));
      case "text":
        return [agentMessage(shown.messageId, shown.text)];
      case "thought": {
        const { messageId, text } = shown;
        return [{ sessionUpdate: "agent_thought_chunk", messageId, content: textBlock(text) }];
      }
      case "call.start":
        return [this.#callStart(shown.call)];
      case "call.runs":
        return [this.#callRuns(shown)];
      case "call.progress":
        return this.#progress(shown);
      case "call.end":
        return this.#callEnd(shown, context.images);
      case "plan":
        return [planUpdate(shown.todos)];
      case "notice":
        return this.#notice(shown);
      case "waiting":
        return [this.#waiting(shown)];
      case "compaction":
        return this.#compaction(shown);
      case "turn.end":
        return this.#turnEnd(shown, context);
      case "info":
        return [{ sessionUpdate: "session_info_update", title: shown.title, updatedAt: shown.updatedAt }];
      case "options":
        return [{ sessionUpdate: "config_option_update", configOptions: configOptions(shown.options) }];
      case "mode":
        return [{ sessionUpdate: "current_mode_update", currentModeId: shown.mode }];
      case "usage":
        return [usageUpdate(shown)];
      case "commands":
        return [commandsUpdate(shown.commands)];
    }
  }

  showClientTerminal(callId: string, terminalId: string): readonly SessionUpdate[] {
    const call = this.#running.get(callId);
    if (call !== undefined) call.clientTerminal = terminalId;
    const content: ToolCallContent[] = [{ type: "terminal", terminalId }];
    return [{ sessionUpdate: "tool_call_update", toolCallId: callId, content }];
  }

  #callStart({ callId, title, name, kind, asks, input, content, locations }: ProjectedCall): SessionUpdate {
    const isFed = kind === "execute" && this.#abilities.terminalOutput;
    const shows = content.some(({ type }) => type === "diff") ? "diff" : "content";
    this.#running.set(callId, { shows, ...(isFed ? { feed: new TerminalStream() } : {}) });
    const shown: ToolCallContent[] = isFed
      ? [{ type: "terminal", terminalId: callId }]
      : callContent(content, { kind, images: NO_IMAGES });
    return {
      sessionUpdate: "tool_call",
      toolCallId: callId,
      title,
      name,
      kind,
      status: asks ? "pending" : "in_progress",
      content: shown,
      locations: [...locations],
      rawInput: input,
      // The display of a command is named after its call.
      ...(isFed ? { _meta: { terminal_info: { terminal_id: callId } } } : {}),
    };
  }

  /** Clients may show what a permission request held in place of the display, which comes back here. */
  #callRuns({ callId }: ShownOf<"call.runs">): SessionUpdate {
    const isFed = this.#running.get(callId)?.feed !== undefined;
    const content: ToolCallContent[] = [{ type: "terminal", terminalId: callId }];
    return {
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      status: "in_progress",
      ...(isFed ? { content } : {}),
    };
  }

  #progress({ callId, preview, output }: ShownOf<"call.progress">): readonly SessionUpdate[] {
    const call = this.#running.get(callId);
    if (call === undefined || call.clientTerminal !== undefined || call.shows === "diff") return [];
    const base = { sessionUpdate: "tool_call_update", toolCallId: callId, status: "in_progress" } as const;
    if (call.feed === undefined)
      return [{ ...base, content: [{ type: "content", content: textBlock(fenced(preview)) }] }];
    const data = output === undefined ? "" : call.feed.push(output);
    return data === "" ? [] : [{ ...base, _meta: { terminal_output: { terminal_id: callId, data } } }];
  }

  #callEnd(shown: ShownOf<"call.end">, images: Images): readonly SessionUpdate[] {
    const { callId, kind, outcome, content, locations } = shown;
    const call = this.#running.get(callId);
    this.#running.delete(callId);
    const base: CallUpdate = {
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      status: STATUS[outcome],
      ...(locations === undefined ? {} : { locations: [...locations] }),
    };
    if (call?.clientTerminal !== undefined)
      return [{ ...base, content: [{ type: "terminal", terminalId: call.clientTerminal }] }];
    if (call?.feed !== undefined) return fedEnd(base, { data: call.feed.end(contentText(content)), content });
    return [{ ...base, content: callContent(content, { kind, images }) }];
  }

  #notice({ id, level, text, important }: ShownOf<"notice">): readonly SessionUpdate[] {
    if (this.#abilities.notices)
      return [{ sessionUpdate: "notice", severity: level === "warn" ? "warning" : level, title: text }];
    return important ? [agentMessage(id, text)] : [];
  }

  /** Clients without a place for notices show what the agent thinks: a wait of a minute is not to look like a hang. */
  #waiting({ messageId, text }: ShownOf<"waiting">): SessionUpdate {
    if (this.#abilities.notices) return { sessionUpdate: "notice", severity: "info", title: text };
    return { sessionUpdate: "agent_thought_chunk", messageId, content: textBlock(`${text}\n`) };
  }

  #compaction({ id, status, text }: ShownOf<"compaction">): readonly SessionUpdate[] {
    if (!this.#abilities.compaction) return [];
    const base = { sessionUpdate: "compaction_update", compactionId: id, status } as const;
    return [status === "failed" ? { ...base, error: text } : { ...base, summary: [textBlock(text)] }];
  }

  /** A turn that came to no good end leaves a word in the thread, unless the client's own request is answered so. */
  #turnEnd({ end }: ShownOf<"turn.end">, { told }: EncodeContext): readonly SessionUpdate[] {
    const text = failureText(end);
    // Only an error carries the words to whoever asked; a limit is an answer like any other.
    if (text === undefined || (told && stopReasonOf(end) === "error")) return [];
    if (this.#abilities.notices) return [{ sessionUpdate: "notice", severity: "error", title: text }];
    return [agentMessage(`${end.turnId}.failure`, text)];
  }
}

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;

/** What a call shows before it has run holds none. */
const NO_IMAGES: Images = new Map();

const STATUS: Readonly<Record<ToolOutcome, ToolCallStatus>> = {
  ok: "completed",
  error: "failed",
  denied: "failed",
  cancelled: "failed",
  unknown: "failed",
};

/** Content of a call in this version's words. */
export function callContent(
  content: readonly ToolContent[],
  shown: { readonly kind: ToolKind; readonly images: Images },
): ToolCallContent[] {
  const diffs = content.flatMap((part): readonly ToolCallContent[] => {
    if (part.type !== "diff") return [];
    const { path, oldText, newText } = part;
    return [{ type: "diff", path, oldText, newText }];
  });
  const blocks = resultBlocks(content, shown).map((block) => ({ type: "content" as const, content: block }));
  return [...diffs, ...blocks];
}

function fedEnd(
  base: CallUpdate,
  { data, content }: { readonly data: string; readonly content: readonly ToolContent[] },
): readonly SessionUpdate[] {
  const id = base.toolCallId;
  const exit = content.find((part) => part.type === "terminal");
  const output = data === "" ? [] : [{ terminal_output: { terminal_id: id, data } }];
  const terminal_exit = {
    terminal_id: id,
    exit_code: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
  };
  return [
    ...output.map((_meta) => ({ sessionUpdate: "tool_call_update" as const, toolCallId: id, _meta })),
    { ...base, _meta: { terminal_exit } },
  ];
}

const agentMessage = (messageId: string, text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  messageId,
  content: textBlock(text),
});

/** This version has no word for a step that was given up: it is left out. */
function planUpdate(todos: ShownOf<"plan">["todos"]): SessionUpdate {
  const entries = todos.flatMap(({ content, status }) =>
    status === "cancelled" ? [] : [{ content, status, priority: "medium" as const }],
  );
  return { sessionUpdate: "plan", entries };
}

function usageUpdate({ used, size, cost }: Extract<StatusUpdate, { type: "usage" }>): SessionUpdate {
  const base = { sessionUpdate: "usage_update", used, size } as const;
  return cost === undefined ? base : { ...base, cost: { amount: cost, currency: "USD" } };
}
