import { defined } from "../../shared/json/defined.ts";
import { textBlock } from "../projection/content-blocks.ts";
import type { UpdateOf } from "../projection/update-encoder.ts";

/** A piece of the agent's answer. */
export const agentMessage = (messageId: string, text: string) =>
  ({ sessionUpdate: "agent_message_chunk", messageId, content: textBlock(text) }) as const;

export const thought = (messageId: string, text: string) =>
  ({ sessionUpdate: "agent_thought_chunk", messageId, content: textBlock(text) }) as const;

export const notice = (level: UpdateOf<"notice">["level"], text: string) =>
  ({ sessionUpdate: "notice", severity: level === "warn" ? "warning" : level, title: text }) as const;

export function compaction({ id, status, text }: UpdateOf<"compaction">) {
  const base = { sessionUpdate: "compaction_update", compactionId: id, status } as const;
  return status === "failed" ? { ...base, error: text } : { ...base, summary: [textBlock(text)] };
}

/** The encoders of the updates that every version writes alike. */
export const COMMON_ENCODERS = {
  text: ({ messageId, text }: UpdateOf<"text">) => [agentMessage(messageId, text)],
  thought: ({ messageId, text }: UpdateOf<"thought">) => [thought(messageId, text)],
  info: ({ title, updatedAt }: UpdateOf<"info">) => [
    { sessionUpdate: "session_info_update", ...defined({ title }), updatedAt } as const,
  ],
  usage({ used, size, cost: amount }: UpdateOf<"usage">) {
    const cost = amount === undefined ? undefined : { amount, currency: "USD" };
    return [{ sessionUpdate: "usage_update", used, size, ...defined({ cost }) } as const];
  },
};

/** A call that runs, perhaps after somebody allowed it. */
export const callRuns = (toolCallId: string) =>
  ({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" }) as const;
