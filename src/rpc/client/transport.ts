/** A way to a gateway, message by message, while it lasts. */
export interface ClientTransport {
  send(message: string): void;
  close(): void;
}

/** The reason why a transport ended. */
export interface TransportEnd {
  readonly reason: string;
  /** The gateway does not want this client: trying again is of no use. */
  readonly final: boolean;
}

/** The receiver of everything that a transport tells. */
export interface TransportListener {
  message(text: string): void;
  /** A line that the gateway's process wrote beside the protocol. */
  stderr(line: string): void;
  /** Called once, and nothing after it. */
  closed(end: TransportEnd): void;
}

/** An error for a gateway that does not want this client: trying again is of no use. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** An error for a transport that ended before the first event of the gateway. */
export class TransportEnded extends Error {
  override readonly name = "TransportEnded";
  readonly end: TransportEnd;

  constructor(end: TransportEnd) {
    super(end.reason);
    this.end = end;
  }
}

/** A function that opens a transport. It rejects when there is no gateway to reach, with the reason; with `Refused` when there is. */
export type Connect = (listener: TransportListener, signal: AbortSignal) => Promise<ClientTransport>;
