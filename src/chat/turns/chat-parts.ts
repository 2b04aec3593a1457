import type { BusyMode, Host, SlashCommands } from "../../core/index.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { Places } from "../places/places.ts";
import type { Person } from "../port/place.ts";
import type { ChatPlatform } from "../port/platform.ts";
import type { MessageSender, SenderParts } from "../sending/message-sender.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { InboxEntry } from "../inbox/entry.ts";

/** The owner's settings of a platform, as they are now. */
export interface ChatSettings {
  /** People and channels that may talk to the agent: `user:<id>`, `channel:<id>`, a bare id, `roster`, `*`. */
  readonly allow: readonly string[];
  /** Stable ids of those who may approve. */
  readonly approvers: readonly string[];
  /** What becomes of a message that comes while a turn runs. */
  readonly busyMode: Exclude<BusyMode, "refuse">;
  /** The folder in which the sessions work, when their tools have files. */
  readonly workspace?: string;
}

/** A text that goes to a place by way of the outbox. */
export interface LateText {
  readonly entry: InboxEntry;
  readonly text: string;
  /** Messages of it that are there already. */
  readonly partsSent: number;
  /** The message after them may be there too. */
  readonly uncertain: boolean;
}

/** The parts of a platform's conversations. */
export interface ChatParts extends SenderParts {
  readonly platform: ChatPlatform;
  readonly host: Host;
  readonly inbox: Inbox;
  readonly places: Places;
  readonly sender: MessageSender;
  readonly commands: SlashCommands;
  readonly settings: () => ChatSettings;
  /** Ends the background processes of a session; gives their number. */
  readonly stopProcesses: (sessionId: string) => Promise<number>;
  /** Puts a text into the outbox that cannot be sent now; durable when it resolves. */
  readonly sendLater: (late: LateText) => Promise<void>;
  readonly report: (error: HostError) => void;
}

/** The origin of what a person does in a chat. */
export const originOf = (platform: string, { id }: Pick<Person, "id">) =>
  ({ surface: "chat", client: `${platform}:${id}` }) as const;

/** The user whose memory a place reads and writes: a person's own in direct messages, the channel's elsewhere. */
export const memoryScopeOf = (
  platform: string,
  { event: { place, from } }: Pick<InboxEntry, "event">,
): string =>
  place.kind === "direct" ? `chat:${platform}:user:${from.id}` : `chat:${platform}:channel:${place.chatId}`;
