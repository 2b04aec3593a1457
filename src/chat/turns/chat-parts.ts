import type { BusyMode, HandedFile, Host, Session, SlashCommands } from "../../core/index.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { Places } from "../places/places.ts";
import type { Person } from "../port/place.ts";
import type { ChatPlatform } from "../port/platform.ts";
import type { MessageSender, SenderParts } from "../sending/message-sender.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { InboxEntry } from "../inbox/entry.ts";
import type { ApprovalCards, AskedApproval } from "../approvals/approval-cards.ts";
import type { LinkedPeople, LinkedPerson } from "../access/allow-list.ts";
import type { KnownNames } from "./known-names.ts";

/** The owner's settings of a platform, as they are now. */
export interface ChatSettings {
  /** People can write to the agent there. */
  readonly isOn: boolean;
  /** Those who may talk to the agent: `user:<id>`, `channel:<id>`, a bare id, `roster`, `*`. */
  readonly allow: readonly string[];
  /** Stable ids of those who may approve. */
  readonly approvers: readonly string[];
  /** The chat in which the approvals of all conversations are shown, on any platform. */
  readonly approvals?: string;
  /** What becomes of a message that comes while a turn runs. */
  readonly busyMode: Exclude<BusyMode, "refuse">;
  /** The folder in which the sessions work, when their tools have files. */
  readonly workspace?: string;
}

/**
 * A way to put a file into a session's workspace, with the folders that are missing; it gives the file's size in bytes. A file that
 * is there already stays as it is, and `get` is not called. What is there is whole, also after a crash.
 *
 * @throws HostError `outside_workspace`, `not_found` when there is no such workspace, `tool_failed`; what `get` throws
 */
export type KeepFile = (
  path: string,
  workspace: { readonly cwd: string; readonly roots: readonly string[] },
  get: () => Promise<Uint8Array>,
) => Promise<number>;

/** A text, or a file with a text beside it, that goes to a place by way of the outbox. */
export interface LateText {
  /** The delivery's id. */
  readonly id: string;
  readonly entry: InboxEntry;
  readonly text: string;
  readonly file?: HandedFile;
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
  readonly keepFile: KeepFile;
  /** Ends the background processes of a session; gives their number. */
  readonly stopProcesses: (sessionId: string) => Promise<number>;
  /** Puts a text into the outbox that cannot be sent now; durable when it resolves. */
  readonly sendLater: (late: LateText) => Promise<void>;
  /** Whether an earlier answer of an entry's place is on its way by the outbox: what comes now stands behind it. */
  readonly isHeldUp: (entry: Pick<InboxEntry, "event">) => Promise<boolean>;
  readonly report: (error: HostError) => void;
  /** Shows an approval in the chats that are for them, on all platforms; durable when it resolves. */
  readonly askApprovers: (asked: AskedApproval) => Promise<void>;
  /** The cards in this platform's chat for approvals. */
  readonly cards: ApprovalCards;
  readonly people: LinkedPeople;
  readonly names: KnownNames;
}

/** The origin of what a person does in a chat. */
export const originOf = (platform: string, { id }: Pick<Person, "id">) =>
  ({ surface: "chat", client: `${platform}:${id}` }) as const;

/** The user on the roster who writes a message. */
export const writerOf = (
  { people, platform }: Pick<ChatParts, "people" | "platform">,
  { event: { from } }: Pick<InboxEntry, "event">,
): Promise<LinkedPerson | undefined> => people.byIdentity(`${platform.name}:${from.id}`);

/** Whether a conversation was somebody else's when their identity was unlinked: it is not told to who has it now. */
export const isOfAnother = async (
  parts: Pick<ChatParts, "people" | "platform">,
  entry: Pick<InboxEntry, "event">,
  session: Session,
): Promise<boolean> => {
  const { user } = await session.refresh();
  if (user === undefined) return false;
  // What is said in a channel is nobody's.
  return entry.event.place.kind !== "direct" || user !== (await writerOf(parts, entry))?.id;
};

/** The memory that a session reads and writes: its user's, a person's own in direct messages, the channel's elsewhere. */
export const memoryScopeOf = (
  platform: string,
  { event: { place, from } }: Pick<InboxEntry, "event">,
  user: LinkedPerson | undefined,
): string | undefined => {
  if (user !== undefined) return user.isOwner === true ? undefined : `user:${user.id}`;
  return place.kind === "direct"
    ? `chat:${platform}:user:${from.id}`
    : `chat:${platform}:channel:${place.chatId}`;
};
