import type { Capabilities } from "./capabilities.ts";
import type { Incoming, IncomingClick, IncomingFile } from "./incoming.ts";
import type { MessageEdit, OutgoingMessage } from "./outgoing.ts";
import type { Person, ChatPlace } from "./place.ts";

/** A message of the bot that did not arrive. */
export interface UndeliveredMessage {
  readonly messageId: string;
  /** Where the platform says it; without it the id alone must tell the message from all others. */
  readonly chatId?: string;
  /** Why, in words for the operator. */
  readonly reason: string;
}

/** The taker of what comes from a platform. */
export interface Sink {
  /**
   * Takes events, in the order in which they happened. When it resolves they survive a crash: acknowledge them to the
   * platform then, and never before. When it rejects, acknowledge nothing: the platform sends them again.
   */
  take(events: readonly Incoming[]): Promise<void>;
  /** A message that the platform took is not going to arrive, as it says later: its operator is told. Survives a crash. */
  undelivered(message: UndeliveredMessage): Promise<void>;
  /**
   * Whether somebody may talk to the agent in a place. For invitations, which are accepted or declined before anything is
   * said; whatever is said goes to `take`.
   */
  admits(from: Person, place: ChatPlace): Promise<boolean>;
  /** The platform was heard: also for a heartbeat, or an answer without events. Silence counts as a lost connection. */
  alive(): void;
}

/** A request that a platform posted to `/webhooks/<platform>`; header names are in lower case. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** As it came: signatures are over these bytes. */
  readonly body: Uint8Array;
}

/** The answer to such a request. */
export interface WebhookAnswer {
  readonly status: number;
  readonly body?: string;
  readonly contentType?: string;
}

/** A command as the platform's own menu of commands lists it. */
export interface ChannelCommand {
  readonly name: string;
  readonly description: string;
}

/**
 * One account on a platform, both ways. A platform implements it and nothing else: acceptance, order, budgets, retries,
 * receipts, questions and conversations are the connector's.
 *
 * Each method makes its requests and gives their result; it waits for no budget and never tries again. It throws
 * `HostError`: `delivery_failed` or `fetch_failed` when a later try may help, with `details.retryAfterMs` when the
 * platform says how long to wait and with `details.uncertain` when the request may have been carried out all the same;
 * `not_found` when the message or chat is not there; `unauthorized` when the secret is refused; `invalid_params` when
 * the platform will never take it; from `connect` and `receive` also `config_invalid` when no later try will help before
 * the owner changes something, and the connector stays off. When `signal` aborts it stops.
 */
export interface Channel {
  /** What this account can, or cannot, unlike others of its platform: it depends on its settings. */
  readonly capabilities?: Partial<Capabilities>;

  /** The id by which the host knows a chat: the first one of a chat that had others. Absent where ids stay. */
  knownAs?(chatId: string): string;

  /** Proves the secrets, announces the commands, and says who the bot is. */
  connect(commands: readonly ChannelCommand[], signal: AbortSignal): Promise<Person>;

  /**
   * Hands over what comes for as long as the connection lasts. It throws when that is lost and returns when `signal`
   * aborts; the connector connects again. Absent where events come by webhook only.
   */
  receive?(sink: Sink, signal: AbortSignal): Promise<void>;

  /**
   * Takes a request of the platform: verifies it on its raw bytes before anything is parsed (401 when it is not genuine),
   * hands its events over, and answers when they are safe. Absent where there are none.
   */
  webhook?(request: WebhookRequest, sink: Sink): Promise<WebhookAnswer>;

  /** Posts a message and gives its id, by which it can be edited; empty when the platform took it and named none. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<string>;

  /** Changes a message; one that looks so already is no error. Absent where messages cannot be edited. */
  edit?(edit: MessageEdit, signal: AbortSignal): Promise<void>;

  /** Shows that an answer is being written. */
  typing?(place: ChatPlace, signal: AbortSignal): Promise<void>;

  /**
   * Looks whether a message whose fate is unknown is there, and gives its id. Present where `resend` is `ask`.
   */
  find?(message: OutgoingMessage, signal: AbortSignal): Promise<string | undefined>;

  /** Tells the one who pressed a button that it arrived; `text` is shown to them alone. */
  answerClick?(click: Pick<IncomingClick, "answerId">, text: string, signal: AbortSignal): Promise<void>;

  /** Gets the bytes of a file, at most `maxBytes`. */
  download?(file: IncomingFile, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
}
