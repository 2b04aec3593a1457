import type { Origin } from "../core/index.ts";
import type { ChangeDetails } from "./protocol/changes.ts";

/** A change that a client made, or was refused. */
export interface ClientChange extends ChangeDetails {
  readonly method: string;
  readonly refused?: true;
}

/** The person at the other side, where they were let in by other means than the gateway's own. */
export interface Peer {
  /** Who it is, whatever the client says. */
  readonly from: Origin;
  /** Methods that they may not use here. */
  readonly refused: ReadonlySet<string>;
  /** Keeps what they changed, or were refused, before they are answered. */
  readonly note: (change: ClientChange) => Promise<void>;
}

/** One connection's way to the other side, message by message. A transport makes it. */
export interface Wire {
  /** The other side proves that it lives by pings of its own. */
  readonly heartbeat: boolean;
  /** The other side is the person at this process's terminal: it is gone when the process is. */
  readonly attended?: true;
  /** The client speaks for itself where it is absent. */
  readonly peer?: Peer;
  /** Resolves when the message is on its way, or the connection is over. Never rejects. */
  send(message: string): Promise<void>;
  /** Takes no more messages from the other side until `resume`. */
  pause(): void;
  resume(): void;
  /** @param code - a WebSocket close code; other transports only close */
  close(code: number, reason: string): void;
}

/** The receiver of everything that a transport tells of a connection. */
export interface Receiver {
  message(text: string): void;
  /** A message was too large and has been skipped. */
  tooLarge(bytes: number): void;
  /** No more messages will come; resolves when all that came are answered. */
  finish(): Promise<void>;
  closed(): void;
}

/** A function that takes a connection and returns the receiver of its transport's reports. */
export type Accept = (wire: Wire) => Receiver;

/** Messages over this are not taken, in bytes. */
export const LARGEST_MESSAGE = 40 * 1024 * 1024;
