/** A way to a gateway, message by message, while it lasts. */
export interface Link {
  send(message: string): void;
  close(): void;
}

/** Why a link ended. */
export interface LinkEnd {
  readonly reason: string;
  /** The gateway does not want this client: trying again is of no use. */
  readonly final: boolean;
}

/** What a link tells of. */
export interface LinkSink {
  message(text: string): void;
  /** A line that the gateway's process wrote beside the protocol. */
  stderr(line: string): void;
  /** Called once, and nothing after it. */
  closed(end: LinkEnd): void;
}

/** There is a gateway, and it does not want this client: trying again is of no use. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** The link ended before the gateway had greeted. */
export class LinkEnded extends Error {
  override readonly name = "LinkEnded";
  readonly end: LinkEnd;

  constructor(end: LinkEnd) {
    super(end.reason);
    this.end = end;
  }
}

/** Opens a link. Rejects when there is no gateway to reach, with the reason; with `Refused` when there is. */
export type Connect = (sink: LinkSink, signal: AbortSignal) => Promise<Link>;
