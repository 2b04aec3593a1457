import type { ChatPlace } from "./place.ts";

/** A button under a message. */
export interface Button {
  /** Words on it. */
  readonly label: string;
  /** What comes back when it is pressed; at most 60 bytes of letters, digits, `:`, `_`. */
  readonly value: string;
}

/** A file or picture that goes out. */
export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A message to a place. */
export interface OutgoingMessage {
  readonly place: ChatPlace;
  /** In the platform's own way. */
  readonly text: string;
  /** The same as it was written, in Markdown. */
  readonly source: string;
  /** The same for every try of one message: a platform that looks at it takes the message once. */
  readonly once: string;
  /** An earlier try of it may be there, perhaps with less of its text. */
  readonly again?: true;
  /** The message that it answers. */
  readonly replyTo?: string;
  /** One row; only where the platform has buttons. */
  readonly buttons?: readonly Button[];
  /** What it is about, for platforms whose messages say so. */
  readonly subject?: string;
  /** Only where files can go out. The text is their caption, or empty. */
  readonly file?: OutgoingFile;
}

/** A message that is there and is to look otherwise. Without buttons it loses those that it had. */
export interface MessageEdit extends Pick<OutgoingMessage, "place" | "text" | "source" | "buttons"> {
  readonly messageId: string;
}
