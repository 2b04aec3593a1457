import type { Person, ChatPlace } from "./place.ts";

/** A file or picture that came with a message; its bytes are got later, when it is its turn. */
export interface IncomingFile {
  readonly name: string;
  readonly mediaType: string;
  /** Bytes, where the platform tells. */
  readonly size?: number;
  /** All that `Channel.download` needs; JSON, kept with the message. */
  readonly ref: string;
}

interface Happening {
  /**
   * The platform's own id of what happened. It is the same when the platform sends it again, and no other event of this
   * account has it: by it each event is taken once.
   */
  readonly eventId: string;
  readonly place: ChatPlace;
  readonly from: Person;
}

/** A message of a person. */
export interface IncomingMessage extends Happening {
  readonly type: "message";
  readonly messageId: string;
  /** As it was typed, without the bot's own mention at its beginning. */
  readonly text: string;
  readonly files: readonly IncomingFile[];
  /** It is meant for the bot: a direct message, a mention, an answer to a message of the bot, a command. */
  readonly addressed: boolean;
  /** Characters of a text that was too long to be kept; its sender is told. Set by the connector only. */
  readonly leftOut?: number;
}

/** A message that its sender has changed. It counts for as long as the message waits for its turn. */
export interface IncomingEdit extends Happening {
  readonly type: "edit";
  readonly messageId: string;
  readonly text: string;
}

/** A message that its sender has taken back. */
export interface IncomingDeletion extends Happening {
  readonly type: "deletion";
  readonly messageId: string;
}

/** A thumb under a message of the bot; `none` when it was taken away. */
export interface IncomingReaction extends Happening {
  readonly type: "reaction";
  readonly messageId: string;
  readonly verdict: "up" | "down" | "none";
}

/** A button that somebody pressed. */
export interface IncomingClick extends Happening {
  readonly type: "click";
  /** The message with the button. */
  readonly messageId: string;
  /** The button's own value, as it was sent. */
  readonly value: string;
  /** What the platform wants back when it is told that the click arrived. */
  readonly answerId?: string;
}

/** An event of a platform. */
export type Incoming = IncomingMessage | IncomingEdit | IncomingDeletion | IncomingReaction | IncomingClick;
