import type { IdleStateUpdate, StateUpdate } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { requestError } from "../connection/request-error.ts";
import {
  type PromptStopReason,
  stopReasonOf,
  type TurnEnd,
  turnError,
  usageOf,
} from "../projection/turn-end.ts";
import type { UpdateOf } from "../projection/update-encoder.ts";

type State = Omit<UpdateOf<"state">, "type">;

/** Writes the state of a session. */
export function stateOf({ state, stop, error }: State): StateUpdate {
  switch (state) {
    case "running":
      return { state: "running" };
    case "requires_action":
      return { state: "requires_action" };
    case "idle":
      return { ...(stop === undefined ? {} : idle(stop, error)), state: "idle" };
  }
}

/** Writes the state after a turn's end. */
export const endState = (end: TurnEnd): StateUpdate => ({
  ...idle(stopReasonOf(end), turnError(end)),
  ...usageOf(end.usage),
  state: "idle",
});

const STOPS: Readonly<Record<Exclude<PromptStopReason, "error">, IdleStateUpdate>> = {
  end_turn: { stopReason: "end_turn" },
  max_tokens: { stopReason: "max_tokens" },
  max_turn_requests: { stopReason: "max_turn_requests" },
  refusal: { stopReason: "refusal" },
  cancelled: { stopReason: "cancelled" },
};

function idle(stop: PromptStopReason, error: State["error"]): IdleStateUpdate {
  if (stop !== "error") return STOPS[stop];
  if (error === undefined) return { stopReason: "error" };
  const { code, message, data } = requestError(error);
  return { stopReason: "error", error: { code, message, data } };
}
