import type { EventBody } from "../protocol/events.ts";

/** A connection as the rest of the gateway sees it. */
export interface Audience {
  /** Sends an event that concerns everybody. */
  notify(event: EventBody): void;
  /** Sends the info of every session that it follows: something changed that no log tells of. */
  showInfo(): void;
  /** Stops following a session. */
  leave(sessionId: string): Promise<void>;
  close(code: number, reason: string): void;
}
