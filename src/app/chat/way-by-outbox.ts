import type { Outbox } from "../../automation/delivery/index.ts";
import {
  type ChatPlatform,
  type ConnectorParts,
  type InboxEntry,
  placeKey,
  targetOf,
} from "../../chat/index.ts";
import { defined } from "../../shared/json/defined.ts";

/** The way of what cannot be sent at once: the answers of one place are one line of the outbox. */
export function wayByOutbox(
  { kind, name }: Pick<ChatPlatform, "kind" | "name">,
  outbox: () => Outbox,
): Pick<ConnectorParts, "sendLater" | "isHeldUp"> {
  const lineOf = ({ event }: Pick<InboxEntry, "event">): string => `${name}:${placeKey(event.place)}`;
  return {
    async sendLater({ id, entry, text, file, partsSent, uncertain }) {
      await outbox().put({
        id,
        target: targetOf(kind, entry.event.place),
        text,
        source: { kind: "chat", id: entry.id },
        line: lineOf(entry),
        ...defined({ file }),
        ...defined({ partsSent: partsSent || undefined, uncertain: uncertain || undefined }),
      });
    },
    isHeldUp: (entry) => outbox().isHeldUp(lineOf(entry)),
  };
}
