import { defined } from "../../shared/json/defined.ts";

/** A place on a platform where people talk: a chat, or one thread of it. Each is a conversation of its own. */
export interface ChatPlace {
  /** `direct`: one person and the bot; `channel`: several people may read it. */
  readonly kind: "direct" | "channel";
  /** The chat's stable id, as the platform takes it. */
  readonly chatId: string;
  /** The thread's stable id within the chat. */
  readonly threadId?: string;
}

/** A person on a platform. */
export interface Person {
  /** Stable, never a name that can be changed. All that is decided about somebody is decided by it. */
  readonly id: string;
  /** For eyes only. */
  readonly name: string;
}

/** The key of a place among all places of its platform. */
export const placeKey = ({ chatId, threadId }: ChatPlace): string =>
  threadId === undefined ? chatId : `${chatId}\n${threadId}`;

/** A place as a target of deliveries. */
export const targetOf = (kind: string, { chatId, threadId }: ChatPlace) => ({
  kind,
  chatId,
  ...defined({ threadId }),
});
