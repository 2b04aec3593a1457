import { createHash } from "node:crypto";
import type {
  IncomingClick,
  IncomingDeletion,
  IncomingEdit,
  IncomingMessage,
  IncomingReaction,
} from "../port/incoming.ts";

/** An event that is acted upon: everything that is accepted. */
export type AcceptedEvent =
  | IncomingMessage
  | IncomingEdit
  | IncomingDeletion
  | IncomingReaction
  | IncomingClick;

/** A message of an answer: begun before it is sent, with its id once the platform has it. */
export interface SentPart {
  readonly once: string;
  readonly begun: true;
  /** The time of its first try, Unix milliseconds. */
  readonly at?: number;
  readonly messageId?: string;
  /** It says that it was sent again. */
  readonly mark?: "restart" | "fault";
  /** Counts the files before it in its answer's text; none when absent. */
  readonly section?: number;
  /** It is a file. */
  readonly file?: true;
}

/** A question that is shown in the chat, and where. */
export interface ShownQuestion {
  readonly requestId: string;
  readonly part: SentPart;
  /** What was decided stands below it. */
  readonly over?: true;
}

/**
 * The state of an accepted event. `accepted`: nothing was done. `begun`: its prompt may be in its session. `answered`,
 * `failed` (its sender was told), `withdrawn` (its sender took it back): it is over.
 */
export type EntryStatus = "accepted" | "begun" | "answered" | "failed" | "withdrawn";

/** An accepted event, and what has been done about it. Times are Unix milliseconds. */
export interface InboxEntry {
  /** The same for the same event; names it for operators. */
  readonly id: string;
  readonly platform: string;
  readonly event: AcceptedEvent;
  readonly acceptedAt: number;
  readonly status: EntryStatus;
  /** Counts the times that it was begun anew. */
  readonly run: number;
  /** The run that the messages of its answer are named by, where a later one goes on with them. */
  readonly answerRun?: number;
  /** The session of its prompt. */
  readonly sessionId?: string;
  /** The session's cursor before its prompt. */
  readonly after?: number;
  /** The turn of its prompt. */
  readonly turnId?: string;
  /** What of its files was not taken, in words for its sender. */
  readonly refused?: readonly string[];
  readonly parts?: readonly SentPart[];
  /** Ids of what of its answer the outbox has: it is not sent by anybody else. */
  readonly late?: readonly string[];
  readonly questions?: readonly ShownQuestion[];
  readonly error?: string;
  readonly endedAt?: number;
}

/** Whether nothing more happens about an entry. */
export const isOver = ({ status }: Pick<InboxEntry, "status">): boolean =>
  status !== "accepted" && status !== "begun";

/** The id of the entry of an event, the same in every process. */
export const entryId = (platform: string, eventId: string): string =>
  `${platform}-${createHash("sha256").update(eventId).digest("hex").slice(0, 20)}`;

/** The id of an entry's prompt, the same in every process. */
export const promptIdOf = ({ id, run }: Pick<InboxEntry, "id" | "run">): string =>
  `prompt_${createHash("sha256").update(`${id}\n${run}`).digest("hex").slice(0, 16)}`;

/** The id under which the outbox delivers what of an entry's answer could not be sent. @param of - which part of the answer */
export const deliveryIdOf = (
  { id, run, answerRun = run }: Pick<InboxEntry, "id" | "run" | "answerRun">,
  of = "",
): string => (of === "" ? `${id}:${answerRun}` : `${id}:${answerRun}:${of}`);

/** The id by which a message of an entry's answer is sent once; the same when the outbox delivers it. */
export const onceOf = (
  entry: Pick<InboxEntry, "id" | "run" | "answerRun">,
  message: string | number,
  of?: string,
): string =>
  createHash("sha256")
    .update(`${deliveryIdOf(entry, of)}\n${message}`)
    .digest("hex")
    .slice(0, 24);
