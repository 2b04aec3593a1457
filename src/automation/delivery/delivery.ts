import type { HandedFile } from "../../core/index.ts";
import type { DeliveryTarget } from "./target.ts";

/** The state of a delivery. */
export type DeliveryStatus = "pending" | "delivered" | "failed";

/** A try to send a delivery. Times are Unix milliseconds. */
export interface DeliveryTry {
  readonly at: number;
  /** Absent while it goes on, and where its process died before the end. */
  readonly ms?: number;
  /** The first part of what the other side answered, of targets that tell it. */
  readonly answer?: DeliveryAnswer;
  /** Why it failed. */
  readonly error?: string;
}

/** An answer to a delivery: its HTTP status and its text. */
export interface DeliveryAnswer {
  readonly status: number;
  readonly text: string;
}

/** A text on its way to one target. Times are Unix milliseconds. */
export interface Delivery {
  readonly id: string;
  readonly target: DeliveryTarget;
  readonly text: string;
  /** A title, for targets that have one. */
  readonly subject?: string;
  /** A file that goes out with the text as its caption; only to chats. */
  readonly file?: HandedFile;
  /** More that its target needs: a repository, an address to post to. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Its origin: `job` or `webhook`, and the id there. */
  readonly source: { readonly kind: string; readonly id: string };
  /** The line that it stands in: what is in one line arrives in the order in which it was put in. */
  readonly line?: string;
  readonly status: DeliveryStatus;
  /** Tries that were begun. */
  readonly attempts: number;
  /** The newest tries, the last one at the end; also those before it was sent again. */
  readonly tries?: readonly DeliveryTry[];
  /** Parts of a long text that have arrived: the next try goes on behind them, and counts anew. */
  readonly partsSent?: number;
  /** The part after those may have arrived too: a try was begun whose end is not known. */
  readonly uncertain?: true;
  /** Why the last try failed. */
  readonly error?: string;
  /** When it is tried again. */
  readonly nextAt?: number;
  readonly createdAt: number;
  readonly endedAt?: number;
}

/** A text for the outbox. The same text must have the same id, so that it is sent once. */
export type DeliveryDraft = Pick<
  Delivery,
  "id" | "target" | "text" | "subject" | "file" | "extra" | "source" | "line" | "partsSent" | "uncertain"
>;

/** A sender of texts to targets of one kind. */
export interface Sender {
  /** Milliseconds to wait before each further try; as many tries as waits, and one. */
  readonly retryMs: readonly number[];
  /**
   * It costs next to nothing and leaves the text on this machine: it is sent at once, and recorded only when it fails.
   */
  readonly atOnce?: boolean;
  /**
   * Resolves when the other side has taken it.
   *
   * @param heard - told of an answer, whatever it says, before this resolves or throws
   * @throws HostError `delivery_failed` or `fetch_failed` when a later try may help; any other code when none will
   */
  send(delivery: Delivery, signal: AbortSignal, heard?: (answer: DeliveryAnswer) => void): Promise<void>;
}

/** The senders of this process by kind of target. */
export type Senders = (kind: string) => Sender | undefined;

const SILENT = "[SILENT]";

/** Whether a model says that there is nothing to tell: the marker is in the first or the last line. */
export function isSilent(text: string): boolean {
  const lines = text.trim().split("\n");
  return [lines[0], lines.at(-1)].some((line) => line?.trim().startsWith(SILENT) === true);
}
