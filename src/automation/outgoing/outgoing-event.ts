import { createHash } from "node:crypto";
import type { ErrorCode, Platform, Resolution } from "../../core/index.ts";

/** The events that other software can be sent, by their names, each with what it says. */
export const OUTGOING_EVENTS = {
  "session.started": "a session was made",
  "turn.completed": "a turn ended with an answer",
  "turn.failed": "a turn failed, or its process died",
  "question.asked": "somebody is asked something, such as an approval",
  "question.answered": "a question is over: answered, expired, refused or cancelled",
  "budget.exceeded": "a session stopped because its budget is used up",
  "job.failed": "a run of a job failed",
  "delivery.failed": "a text could not be delivered, and is not tried again",
  "connector.down": "a chat platform has not been connected for a minute",
  "connector.up": "a chat platform that was down is connected again",
  "user.signed_in": "somebody signed in at the dashboard or in the members' app",
  "update.available": "there is a newer version of this program",
} as const;

/** The name of an event that an address can ask for. */
export type OutgoingType = keyof typeof OUTGOING_EVENTS;

/** The names of all events that an address can ask for. */
export const OUTGOING_TYPES = Object.keys(OUTGOING_EVENTS) as readonly OutgoingType[];

/** A session as events name it. */
export interface EventSession {
  readonly id: string;
  readonly title: string;
  readonly platform: Platform;
}

interface OfTurn {
  readonly session: EventSession;
  readonly turnId: string;
}

interface OfQuestion extends OfTurn {
  readonly requestId: string;
  readonly kind: "approval" | "clarify" | "sudo" | "secret";
}

interface OfConnector {
  readonly platform: string;
  readonly title: string;
}

/** The facts of an event: ids, titles and times. */
export type OutgoingFacts =
  | { readonly type: "session.started"; readonly session: EventSession; readonly parentId?: string }
  | ({ readonly type: "turn.completed" } & OfTurn)
  | ({ readonly type: "turn.failed"; readonly outcome: string; readonly code?: ErrorCode } & OfTurn)
  | ({ readonly type: "question.asked" } & OfQuestion)
  | ({ readonly type: "question.answered"; readonly outcome: Resolution["outcome"] } & OfQuestion)
  | ({ readonly type: "budget.exceeded" } & OfTurn)
  | {
      readonly type: "job.failed";
      readonly jobId: string;
      readonly jobName: string;
      readonly runId: string;
      readonly sessionId?: string;
    }
  | {
      readonly type: "delivery.failed";
      readonly deliveryId: string;
      readonly target: string;
      readonly source: string;
    }
  | ({ readonly type: "connector.down" } & OfConnector)
  | ({ readonly type: "connector.up" } & OfConnector)
  | { readonly type: "user.signed_in"; readonly user: string }
  | { readonly type: "update.available"; readonly installed: string; readonly version: string }
  /** Sent to one address because somebody asked for it. */
  | { readonly type: "webhook.test" };

/** An event for other software. */
export type OutgoingEvent = OutgoingFacts & {
  /** The same however often the event is found. */
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** Reads what was said, for addresses that ask for it. */
  readonly text?: () => Promise<string | undefined>;
};

/** Gives the id of an event that is known by these words. */
export const eventId = (...words: readonly (string | number)[]): string =>
  `evt_${createHash("sha256").update(words.join("\n")).digest("hex").slice(0, 24)}`;
