import { type InboxEntry, isOver, promptIdOf } from "../inbox/entry.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { UndeliveredMessage } from "../port/channel.ts";
import type { IncomingDeletion, IncomingEdit, IncomingReaction } from "../port/incoming.ts";
import { type ChatParts, originOf } from "./chat-parts.ts";
import { sessionIfThere } from "./session-if-there.ts";
import { keptMessage } from "../inbox/kept-message.ts";

/** A change of a message, or its deletion. */
export type SideEvent = InboxEntry & { readonly event: IncomingEdit | IncomingDeletion };

/** Entries of a place that are looked through for a message. */
const LOOKED_AT = 500;
const ANSWERS_LOOKED_AT = 5000;

/**
 * Changes a message that still waits, or takes it out, also out of the queue of a session that others keep busy. One that is being
 * answered stays as it was asked.
 */
export async function withdrawOrEdit(parts: ChatParts, { event }: SideEvent): Promise<void> {
  const { inbox, platform, clock } = parts;
  const meant = (await inbox.inPlace(event.place, LOOKED_AT)).find(
    ({ event: other }) =>
      other.type === "message" && other.messageId === event.messageId && other.from.id === event.from.id,
  );
  if (meant === undefined) return;
  const { repeatsMs } = platform.limits;
  const left = await inbox.change(
    meant.id,
    (now) => {
      if (now.status !== "accepted" || now.event.type !== "message") return undefined;
      if (event.type === "deletion") return { ...now, status: "withdrawn", endedAt: clock.now() };
      const { leftOut: _longBefore, ...message } = now.event;
      return { ...now, event: keptMessage({ ...message, text: event.text }) };
    },
    { repeatsMs },
  );
  if (left?.status !== "begun" || event.type !== "deletion") return;
  const session = await sessionIfThere(parts, left.sessionId ?? "");
  await session?.drop([promptIdOf(left)]);
}

/** Stores a thumb as feedback on the turn whose answer it is under. */
export async function noteReaction(
  { inbox, host, platform }: Pick<ChatParts, "inbox" | "host" | "platform">,
  { event: { messageId, place, from, verdict } }: InboxEntry & { readonly event: IncomingReaction },
): Promise<void> {
  const { sessionId, turnId } = (await answerWith(inbox, { chatId: place.chatId, messageId })) ?? {};
  if (sessionId === undefined || turnId === undefined) return;
  const session = await sessionIfThere({ host }, sessionId);
  await session?.note("feedback", { turnId, verdict, from: originOf(platform.name, from) });
}

/** Notes at its message that an answer did not arrive, and tells the operator, once. */
export async function noteUndelivered(
  { inbox, platform, host, report }: Pick<ChatParts, "inbox" | "platform" | "host" | "report">,
  message: UndeliveredMessage,
): Promise<void> {
  const { chatId, messageId, reason } = message;
  const meant = await answerWith(inbox, { messageId, ...defined({ chatId }) });
  const to = meant?.event.place.chatId ?? chatId ?? "somebody";
  const error = `A message to ${to} did not arrive: ${reason}`;
  if (meant?.error === error) return;
  if (meant !== undefined) {
    const { repeatsMs } = platform.limits;
    const { hostId } = host.services.store;
    await inbox.change(
      meant.id,
      (now, claim) => {
        if (isOver(now)) return { ...now, error, status: "failed" };
        // While it is being answered only the reason is kept, what else is said may arrive; at another host that one goes on.
        return claim?.hostId === hostId ? { ...now, error } : undefined;
      },
      { repeatsMs },
    );
  }
  report(new HostError("delivery_failed", `${platform.name}: ${error}`));
}

/** The entry whose answer has a message; not every platform says in which thread it is. */
async function answerWith(
  inbox: Inbox,
  { chatId, messageId }: Pick<UndeliveredMessage, "chatId" | "messageId">,
): Promise<InboxEntry | undefined> {
  return (await inbox.list({ limit: ANSWERS_LOOKED_AT })).find(
    ({ event, parts = [] }) =>
      (chatId === undefined || event.place.chatId === chatId) &&
      parts.some((part) => part.messageId === messageId),
  );
}
