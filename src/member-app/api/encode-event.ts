import type { QuestionRequest, QuestionResolved, SessionEvent } from "../../core/index.ts";
import { encodeSse } from "../../http/server/encode-sse.ts";
import { forTypes, QUIET_EVENTS } from "../../http/turns/event-encoders.ts";
import { type ByType, callByType } from "../../shared/union/by-type.ts";
import { encodeOwnMessage, encodeQuestion } from "./encode-conversation.ts";
import { whyEnded } from "./end-words.ts";

type Frame = readonly [name: string, fields: Readonly<Record<string, unknown>>];

/** The events of a conversation as the app's pages get them. Frames without a name are not sent. */
const FRAMES: ByType<SessionEvent, undefined, Frame | undefined> = {
  ...forTypes(QUIET_EVENTS, () => undefined),
  ...forTypes(["reasoning.delta", "reply.complete"], () => undefined),
  ...forTypes(
    ["approval.request", "clarify.request", "sudo.request", "secret.request"],
    (event: QuestionRequest): Frame => ["question", { question: encodeQuestion(event) }],
  ),
  ...forTypes(
    ["approval.resolved", "clarify.resolved", "sudo.resolved", "secret.resolved"],
    ({ requestId: id }: QuestionResolved): Frame => ["question.over", { id }],
  ),
  "prompt.queued": (event) => ["queued", { message: encodeOwnMessage(event.prompt, event) }],
  "prompt.dropped": ({ promptIds }) => ["dropped", { ids: promptIds }],
  "turn.start": (event) => ["turn", { message: encodeOwnMessage(event.prompt, event) }],
  "message.delta": ({ text }) => ["text", { text }],
  "tool.start": ({ callId, label }) => ["tool", { id: callId, label }],
  "tool.complete": ({ callId, label, outcome }) => ["tool", { id: callId, label, outcome }],
  "title.set": ({ title }) => ["title", { title }],
  "history.undo": () => ["reload", {}],
  "turn.end": ({ outcome, error }) => ["end", { outcome, why: whyEnded({ outcome, code: error?.code }) }],
};

/** Encodes an event; empty text for what the pages have no use for. */
export function encodeEvent(event: SessionEvent): string {
  const frame = callByType(FRAMES, event, undefined);
  if (frame === undefined) return "";
  const [name, fields] = frame;
  const { seq, at } = event;
  return encodeSse({ event: name, id: seq, data: JSON.stringify({ seq, at: at / 1000, ...fields }) });
}
