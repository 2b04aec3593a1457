import type { QuestionRequest } from "../../core/index.ts";
import { markdownParts } from "../../providers/delivery/index.ts";
import type { SentPart } from "../inbox/entry.ts";
import type { ChatPlace } from "../port/place.ts";
import { MARK_ROOM, marked, type MessageSender, type SenderParts } from "../sending/message-sender.ts";
import { type CardLook, questionCard } from "./question-card.ts";

/** A card in its platform's way, and what stands below the question: what was decided, and then no buttons. */
export interface CardWords extends Pick<CardLook, "above" | "hint"> {
  readonly below?: string;
}

/** Makes the message of a question's card in its platform's way; of a long one the first. */
export function cardMessage(
  request: QuestionRequest,
  { limits, capabilities }: SenderParts["platform"],
  { below = "", ...look }: CardWords = {},
) {
  const limit = limits.limit - MARK_ROOM;
  const room = limit - below.length;
  const card = questionCard(request, { ...look, buttons: capabilities.buttons, room });
  const source = below === "" ? card.text : `${card.text}\n\n${below}`;
  const [part] = markdownParts(source, { ...limits, limit });
  const { text, plain } = part ?? { text: source, plain: source };
  return { text, plain, source, buttons: below === "" ? card.buttons : [] };
}

/** A card that was sent, and how it is to look. */
export interface CardChange extends Pick<SentPart, "mark"> {
  readonly place: ChatPlace;
  readonly messageId: string;
  readonly card: ReturnType<typeof cardMessage>;
}

/** Changes a card where messages can be changed. @throws HostError as `Channel` says */
export async function changeCard(
  { channel, sender }: Pick<SenderParts, "channel"> & { readonly sender: MessageSender },
  { place, messageId, mark, card: { text, source } }: CardChange,
  signal: AbortSignal,
): Promise<void> {
  if (channel.edit === undefined) return;
  const edit = { place, messageId, text: marked(mark, text), source: marked(mark, source) };
  await sender.repeat(place, signal, async () => await channel.edit?.(edit, signal));
}
