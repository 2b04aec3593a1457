import type { Address, IncomingCall, SentEvent } from "../../client/hooks.ts";
import { Badge, type Tone } from "../../design/badge.tsx";

/** The states of events that were sent, in words. */
export const SENT_STATES: Readonly<Record<SentEvent["status"], string>> = {
  pending: "On its way",
  delivered: "Delivered",
  failed: "Failed",
};

const SENT_TONES: Readonly<Record<SentEvent["status"], Tone>> = {
  pending: "busy",
  delivered: "good",
  failed: "bad",
};

/** What became of an event. */
export const SentState = ({ status }: Pick<SentEvent, "status">) => (
  <Badge tone={SENT_TONES[status]}>{SENT_STATES[status]}</Badge>
);

/** Whether an address takes what is sent to it. */
export function AddressState({ address: { enabled, failing_since } }: { readonly address: Address }) {
  if (!enabled) return <Badge>Off</Badge>;
  return failing_since === undefined ? <Badge tone="good">On</Badge> : <Badge tone="bad">Failing</Badge>;
}

/** What calls are filtered by, in words: what became of them at the door. */
export const CALL_FATES = {
  accepted: "Accepted",
  refused: "Refused",
  ignored: "Ignored",
  duplicate: "Sent twice",
} as const;

const OUTCOMES: Readonly<Record<IncomingCall["outcome"], readonly [Tone, string]>> = {
  working: ["busy", "Working"],
  completed: ["good", "Done"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"],
  cancelled: ["plain", "Cancelled"],
  refused: ["warn", "Refused"],
  ignored: ["plain", "Ignored"],
  duplicate: ["plain", "Sent twice"],
};

/** What became of a call. */
export function CallOutcome({ outcome }: Pick<IncomingCall, "outcome">) {
  const [tone, words] = OUTCOMES[outcome];
  return <Badge tone={tone}>{words}</Badge>;
}
