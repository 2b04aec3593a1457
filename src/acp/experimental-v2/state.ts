import type { IdleStateUpdate, StateUpdate } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { failureText } from "../projection/failure-text.ts";
import { stopReasonOf, usageOf } from "../projection/turn-end.ts";
import type { ConversationUpdate, TurnEnd, StopReason } from "../projection/conversation-update.ts";
import { requestError } from "../connection/request-error.ts";

type ShownState = Omit<Extract<ConversationUpdate, { type: "state" }>, "type">;

/** What the session is doing, in this version's words. */
export function stateOf({ state, stop, error }: ShownState): StateUpdate {
  switch (state) {
    case "running":
      return { state: "running" };
    case "requires_action":
      return { state: "requires_action" };
    case "idle":
      return { ...(stop === undefined ? {} : idle(stop, error)), state: "idle" };
  }
}

/** Nothing runs any more, and why. */
export function endState(end: TurnEnd): StateUpdate {
  const error = end.error ?? { code: "interrupted", message: failureText(end) ?? "The turn ended." };
  return { ...idle(stopReasonOf(end), error), ...usageOf(end.usage), state: "idle" };
}

const STOPS: Readonly<Record<Exclude<StopReason, "error">, IdleStateUpdate>> = {
  end_turn: { stopReason: "end_turn" },
  max_tokens: { stopReason: "max_tokens" },
  max_turn_requests: { stopReason: "max_turn_requests" },
  refusal: { stopReason: "refusal" },
  cancelled: { stopReason: "cancelled" },
};

function idle(stop: StopReason, error: ShownState["error"]): IdleStateUpdate {
  if (stop !== "error") return STOPS[stop];
  if (error === undefined) return { stopReason: "error" };
  const { code, message, data } = requestError(error);
  return { stopReason: "error", error: { code, message, data } };
}
