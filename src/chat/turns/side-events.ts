import type { InboxEntry } from "../inbox/entry.ts";
import type { IncomingDeletion, IncomingEdit, IncomingReaction } from "../port/incoming.ts";
import { type ChatParts, originOf } from "./chat-parts.ts";
import { cleanText } from "../inbox/kept-message.ts";

/** A change of a message, or its deletion. */
export type SideEvent = InboxEntry & { readonly event: IncomingEdit | IncomingDeletion };

/** Entries of a place that are looked through for a message. */
const LOOKED_AT = 500;
const REACTION_LOOKS_AT = 5000;

/** Changes a message that still waits, or takes it out. One that is being answered stays as it was asked. */
export async function withdrawOrEdit({ inbox, platform, clock }: ChatParts, side: SideEvent): Promise<void> {
  const { event } = side;
  const meant = (await inbox.inPlace(event.place, LOOKED_AT)).find(
    ({ event: other }) =>
      other.type === "message" && other.messageId === event.messageId && other.from.id === event.from.id,
  );
  if (meant === undefined) return;
  const { repeatsMs } = platform.limits;
  await inbox.change(
    meant.id,
    (now) => {
      if (now.status !== "accepted" || now.event.type !== "message") return undefined;
      if (event.type === "deletion") return { ...now, status: "withdrawn", endedAt: clock.now() };
      return { ...now, event: { ...now.event, text: cleanText(event.text) } };
    },
    { repeatsMs },
  );
}

/** Stores a thumb as feedback on the turn whose answer it is under. */
export async function noteReaction(
  { inbox, host, platform }: ChatParts,
  { event: { messageId, place, from, verdict } }: InboxEntry & { readonly event: IncomingReaction },
): Promise<void> {
  // Not every platform says in which thread it is.
  const meant = (await inbox.list({ limit: REACTION_LOOKS_AT })).find(
    ({ event, parts = [] }) =>
      event.place.chatId === place.chatId && parts.some((part) => part.messageId === messageId),
  );
  const { sessionId, turnId } = meant ?? {};
  if (sessionId === undefined || turnId === undefined) return;
  const session = await host.session(sessionId);
  await session.note("feedback", { turnId, verdict, from: originOf(platform.name, from) });
}
