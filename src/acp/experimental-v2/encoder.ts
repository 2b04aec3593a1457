import type { SessionUpdate, ToolCallStatus } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { contentText, type ToolOutcome } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { fenced, type Images, textBlock, userBlocks } from "../projection/content-blocks.ts";
import type { EncodeContext, UpdateEncoder } from "../projection/update-encoder.ts";
import { failureText } from "../projection/failure-text.ts";
import { stopReasonOf } from "../projection/turn-end.ts";
import { TerminalStream } from "../projection/terminal-stream.ts";
import type { ConversationUpdate, ProjectedCall } from "../projection/conversation-update.ts";
import type { StatusUpdate } from "../projection/status-update.ts";
import { callContent } from "./call-content.ts";
import { availableCommands, configOptions } from "./options.ts";
import { endState, stateOf } from "./state.ts";

type ShownOf<T extends ConversationUpdate["type"]> = Extract<ConversationUpdate, { type: T }>;

/** How a running call is displayed: a command in a terminal that is fed, a change of files as it will be, else its words. */
interface RunningCall {
  readonly shows: "diff" | "content";
  readonly feed?: TerminalStream;
}

/** The one plan of a session. */
const PLAN_ID = "todo";

/** Encodes one session for the draft of protocol version 2. */
export class V2Encoder implements UpdateEncoder {
  readonly #running = new Map<string, RunningCall>();

  encode(shown: ConversationUpdate | StatusUpdate, context: EncodeContext): readonly SessionUpdate[] {
    switch (shown.type) {
      case "turn.start":
        // In a replay nothing runs: how the session stands is said at its end.
        return context.replay ? [] : [{ sessionUpdate: "state_update", state: "running" }];
      case "state":
        if (context.replay) return [];
        return [{ sessionUpdate: "state_update", ...stateOf(shown) }];
      case "turn.end":
        return this.#turnEnd(shown, context);
      case "user": {
        const content = [...userBlocks(shown.parts, context.images)];
        return [{ sessionUpdate: "user_message", messageId: shown.messageId, content }];
      }
      case "text": {
        const { messageId, text } = shown;
        return [{ sessionUpdate: "agent_message_chunk", messageId, content: textBlock(text) }];
      }
      case "thought": {
        const { messageId, text } = shown;
        return [{ sessionUpdate: "agent_thought_chunk", messageId, content: textBlock(text) }];
      }
      case "call.start":
        return this.#callStart(shown.call);
      case "call.runs":
        return [{ sessionUpdate: "tool_call_update", toolCallId: shown.callId, status: "in_progress" }];
      case "call.progress":
        return this.#progress(shown);
      case "call.end":
        return this.#callEnd(shown, context.images);
      case "plan":
        return [planUpdate(shown.todos)];
      case "notice": {
        const { level, text } = shown;
        return [{ sessionUpdate: "notice", severity: level === "warn" ? "warning" : level, title: text }];
      }
      case "waiting":
        return [{ sessionUpdate: "notice", severity: "info", title: shown.text }];
      case "compaction":
        return [compaction(shown)];
      case "info":
        return [{ sessionUpdate: "session_info_update", title: shown.title, updatedAt: shown.updatedAt }];
      case "options":
        return [{ sessionUpdate: "config_option_update", configOptions: configOptions(shown.options) }];
      case "mode":
        // It is one of the options here.
        return [];
      case "usage":
        return [usageUpdate(shown)];
      case "commands": {
        const commands = availableCommands(shown.commands);
        return [{ sessionUpdate: "available_commands_update", availableCommands: commands }];
      }
    }
  }

  /** Clients of this version have no terminals to lend. */
  showClientTerminal(): readonly SessionUpdate[] {
    return [];
  }

  #callStart({ callId, title, name, kind, asks, input, content, locations }: ProjectedCall) {
    const isFed = kind === "execute";
    const shows = content.some(({ type }) => type === "diff") ? "diff" : "content";
    this.#running.set(callId, { shows, ...(isFed ? { feed: new TerminalStream() } : {}) });
    const call: SessionUpdate = {
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      title,
      name,
      kind,
      status: asks ? "pending" : "in_progress",
      content: isFed
        ? [{ type: "terminal", terminalId: callId }]
        : callContent(content, { kind, images: NO_IMAGES }),
      locations: [...locations],
      rawInput: input,
    };
    if (!isFed) return [call];
    const command = commandIn(input) ?? title;
    // The display of a command is named after its call, and is there before the call shows it.
    const terminal: SessionUpdate = { sessionUpdate: "terminal_update", terminalId: callId, command };
    return [terminal, call];
  }

  #progress({ callId, preview, output }: ShownOf<"call.progress">): readonly SessionUpdate[] {
    const call = this.#running.get(callId);
    if (call === undefined || call.shows === "diff") return [];
    if (call.feed !== undefined) return output === undefined ? [] : chunk(callId, call.feed.push(output));
    const content = [{ type: "content" as const, content: textBlock(fenced(preview)) }];
    return [{ sessionUpdate: "tool_call_update", toolCallId: callId, status: "in_progress", content }];
  }

  #callEnd(shown: ShownOf<"call.end">, images: Images): readonly SessionUpdate[] {
    const { callId, kind, outcome, content, locations } = shown;
    const call = this.#running.get(callId);
    this.#running.delete(callId);
    const end = {
      sessionUpdate: "tool_call_update" as const,
      toolCallId: callId,
      status: STATUS[outcome],
      ...(locations === undefined ? {} : { locations: [...locations] }),
    };
    if (call?.feed === undefined) return [{ ...end, content: callContent(content, { kind, images }) }];
    const exit = content.find((part) => part.type === "terminal");
    const exitStatus = { exitCode: exit?.exitCode ?? null, signal: exit?.signal ?? null };
    return [
      ...chunk(callId, call.feed.end(contentText(content))),
      { sessionUpdate: "terminal_update", terminalId: callId, exitStatus },
      end,
    ];
  }

  #turnEnd({ end }: ShownOf<"turn.end">, { replay }: EncodeContext): readonly SessionUpdate[] {
    this.#running.clear();
    const text = failureText(end);
    // Only an error's state carries words; a limit's does not.
    const isTold = !replay && stopReasonOf(end) === "error";
    const notice: readonly SessionUpdate[] =
      text === undefined || isTold ? [] : [{ sessionUpdate: "notice", severity: "error", title: text }];
    return replay ? notice : [...notice, { sessionUpdate: "state_update", ...endState(end) }];
  }
}

/** What a call shows before it has run holds none. */
const NO_IMAGES: Images = new Map();

const STATUS: Readonly<Record<ToolOutcome, ToolCallStatus>> = {
  ok: "completed",
  error: "failed",
  denied: "failed",
  cancelled: "cancelled",
  unknown: "failed",
};

const commandIn = (input: unknown): string | undefined =>
  isJsonObject(input) && typeof input["command"] === "string" ? input["command"] : undefined;

const chunk = (terminalId: string, text: string): readonly SessionUpdate[] =>
  text === ""
    ? []
    : [
        {
          sessionUpdate: "terminal_output_chunk",
          terminalId,
          data: Buffer.from(text, "utf8").toString("base64"),
        },
      ];

function planUpdate(todos: ShownOf<"plan">["todos"]): SessionUpdate {
  const entries = todos.map(({ content, status }) => ({ content, status, priority: "medium" as const }));
  return { sessionUpdate: "plan_update", plan: { type: "items", planId: PLAN_ID, entries } };
}

function compaction({ id, status, text }: ShownOf<"compaction">): SessionUpdate {
  const base = { sessionUpdate: "compaction_update", compactionId: id, status } as const;
  return status === "failed" ? { ...base, error: text } : { ...base, summary: [textBlock(text)] };
}

function usageUpdate({ used, size, cost }: Extract<StatusUpdate, { type: "usage" }>): SessionUpdate {
  const base = { sessionUpdate: "usage_update", used, size } as const;
  return cost === undefined ? base : { ...base, cost: { amount: cost, currency: "USD" } };
}
