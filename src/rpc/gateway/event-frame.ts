import type { TextEvent } from "../../core/index.ts";
import type { EventBody } from "../protocol/events.ts";
import { seqAt } from "./event-numbers.ts";

/** The place of an event: its session, and its number there. An event that is in no log has no number. */
export interface EventPlace {
  readonly session: string;
  readonly seq?: number;
  /** Unix seconds, of one that happened before the client came. */
  readonly at?: number;
}

/** The params of an event, as the notification that goes over the wire. */
export const notification = (params: object): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "event", params });

/** An event of a session as it goes over the wire. */
export const eventFrame = ({ type, payload }: EventBody, { session, seq, at }: EventPlace): string =>
  notification({ type, session_id: session, seq, at, payload });

const DELTA_FRAMES = new WeakMap<TextEvent, string>();

/** Text of a reply as it goes over the wire. Readers that keep up get the same event: it is written once for all. */
export function deltaFrame(session: string, event: TextEvent): string {
  const known = DELTA_FRAMES.get(event);
  if (known !== undefined) return known;
  const { type, text, seq } = event;
  const frame = eventFrame({ type, payload: { text } }, { session, seq: seqAt(seq) });
  DELTA_FRAMES.set(event, frame);
  return frame;
}
