import type {
  DiffChange,
  SessionUpdate,
  ToolCallContent,
  ToolCallStatus,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { contentText, type DiffContent, type ToolOutcome } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
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
import { callRuns, COMMON_ENCODERS, compaction, notice } from "../v1/single-updates.ts";
import { gitPatch } from "./git-patch.ts";
import { availableCommands, configOptions } from "./options.ts";
import { endState, stateOf } from "./state.ts";

const PLAN_ID = "todo";

/** Encoder of one session's updates for the draft of protocol version 2. */
export class V2Encoder extends UpdateEncoder<SessionUpdate> {
  protected readonly encoders: UpdateEncoders<SessionUpdate> = {
    ...COMMON_ENCODERS,
    // Nothing runs in a replay: the session's state follows at its end.
    "turn.start": (_update, { replay }) =>
      replay ? [] : [{ sessionUpdate: "state_update", state: "running" }],
    state: (update, { replay }) => (replay ? [] : [{ sessionUpdate: "state_update", ...stateOf(update) }]),
    "turn.end": (update, context) => this.#turnEnd(update, context),
    user: ({ messageId, parts }, { images }) => [
      { sessionUpdate: "user_message", messageId, content: [...userBlocks(parts, images)] },
    ],
    "call.start": ({ call }) => this.#callStart(call),
    "call.runs": ({ callId }) => [callRuns(callId)],
    "call.progress": (update) => this.#progress(update),
    "call.end": (update, { images }) => this.#callEnd(update, images),
    plan: ({ todos }) => {
      const entries = todos.map(({ content, status }) => ({ content, status, priority: "medium" as const }));
      return [{ sessionUpdate: "plan_update", plan: { type: "items", planId: PLAN_ID, entries } }];
    },
    notice: ({ level, text }) => [notice(level, text)],
    waiting: ({ text }) => [notice("info", text)],
    compaction: (update) => [compaction(update)],
    options: ({ options }) => [
      { sessionUpdate: "config_option_update", configOptions: configOptions(options) },
    ],
    // The mode is one of the options.
    mode: notShown,
    commands: ({ commands }) => [
      { sessionUpdate: "available_commands_update", availableCommands: availableCommands(commands) },
    ],
  };

  #callStart(started: ProjectedCall): readonly SessionUpdate[] {
    const { callId, title, name, kind, asks, input, content, locations } = started;
    const isStreamed = kind === "execute";
    this.running.set(callId, shownCall(started, isStreamed));
    const call: SessionUpdate = {
      sessionUpdate: "tool_call_update",
      toolCallId: callId,
      title,
      name,
      kind,
      status: asks ? "pending" : "in_progress",
      content: isStreamed
        ? [{ type: "terminal", terminalId: callId }]
        : callContent(content, { kind, images: NO_IMAGES }, encodeDiff),
      locations: [...locations],
      rawInput: input,
    };
    if (!isStreamed) return [call];
    const command = commandIn(input) ?? title;
    // The display of a command is named after its call, and is there before the call shows it.
    const terminal: SessionUpdate = { sessionUpdate: "terminal_update", terminalId: callId, command };
    return [terminal, call];
  }

  #progress({ callId, preview, output }: UpdateOf<"call.progress">): readonly SessionUpdate[] {
    const call = this.running.get(callId);
    if (call === undefined || call.shows === "diff") return [];
    if (call.stream !== undefined)
      return output === undefined ? [] : outputChunk(callId, call.stream.push(output));
    return [{ ...callRuns(callId), content: [{ type: "content", content: textBlock(fenced(preview)) }] }];
  }

  #callEnd(update: UpdateOf<"call.end">, images: Images): readonly SessionUpdate[] {
    const { callId, kind, outcome, content, locations } = update;
    const call = this.running.get(callId);
    this.running.delete(callId);
    const end = {
      sessionUpdate: "tool_call_update" as const,
      toolCallId: callId,
      status: STATUS[outcome],
      ...(locations === undefined ? {} : { locations: [...locations] }),
    };
    if (call?.stream === undefined)
      return [{ ...end, content: callContent(content, { kind, images }, encodeDiff) }];
    return [
      ...outputChunk(callId, call.stream.end(contentText(content))),
      { sessionUpdate: "terminal_update", terminalId: callId, exitStatus: exitStatus(content) },
      end,
    ];
  }

  #turnEnd({ end }: UpdateOf<"turn.end">, { replay }: EncodeContext): readonly SessionUpdate[] {
    this.running.clear();
    const text = failureText(end);
    // The state of an error carries the text; the state of a limit does not.
    const isTold = !replay && stopReasonOf(end) === "error";
    const failure = text === undefined || isTold ? [] : [notice("error", text)];
    return replay ? failure : [...failure, { sessionUpdate: "state_update", ...endState(end) }];
  }
}

const STATUS: Readonly<Record<ToolOutcome, ToolCallStatus>> = {
  ok: "completed",
  error: "failed",
  denied: "failed",
  cancelled: "cancelled",
  unknown: "failed",
};

/** Writes a change of a file as an operation and as a patch. */
export function encodeDiff(part: DiffContent): ToolCallContent {
  const { path, oldText } = part;
  const change: DiffChange =
    oldText === null
      ? { operation: "add", path, fileType: "text" }
      : { operation: "modify", path, fileType: "text" };
  return { type: "diff", changes: [change], patch: { format: "git_patch", text: gitPatch(part) } };
}

const commandIn = (input: unknown): string | undefined =>
  isJsonObject(input) && typeof input["command"] === "string" ? input["command"] : undefined;

function outputChunk(terminalId: string, text: string): readonly SessionUpdate[] {
  if (text === "") return [];
  const data = Buffer.from(text, "utf8").toString("base64");
  return [{ sessionUpdate: "terminal_output_chunk", terminalId, data }];
}
