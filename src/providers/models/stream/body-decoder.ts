import { StringDecoder } from "node:string_decoder";
import { LARGEST_DOCUMENT, ResponseTooLarge } from "../errors/response-too-large.ts";
import { createParser } from "eventsource-parser";

/** A piece of a body: an event of a stream, or the one document (JSON, or a page for people). */
export type BodyPiece =
  | { readonly type: "event"; readonly event: ServerEvent }
  | { readonly type: "document"; readonly text: string };

/**
 * Decoder of the body of a good answer. Its first character tells a stream from a document, its headers do not:
 * endpoints answer a streamed request with one document, and proxies label streams as anything.
 */
export class BodyDecoder {
  readonly #text = new StringDecoder("utf8");
  readonly #events = new EventStreamDecoder();
  #document: string[] | undefined;
  #size = 0;
  #begun = false;

  /** @throws TooLarge */
  push(bytes: Uint8Array): readonly BodyPiece[] {
    return this.#add(this.#text.write(bytes));
  }

  end(): readonly BodyPiece[] {
    const last = this.#add(this.#text.end());
    if (this.#document !== undefined) return [{ type: "document", text: this.#document.join("") }];
    return [...last, ...this.#events.end().map(asPiece)];
  }

  #add(text: string): readonly BodyPiece[] {
    const piece = this.#begun ? text : text.trimStart();
    if (piece === "") return [];
    if (!this.#begun) {
      this.#begun = true;
      if (/^[{[<]/.test(piece)) this.#document = [];
    }
    if (this.#document === undefined) return this.#events.push(piece).map(asPiece);
    this.#document.push(piece);
    this.#size += piece.length;
    if (this.#size > LARGEST_DOCUMENT) throw new ResponseTooLarge();
    return [];
  }
}

const asPiece = (event: ServerEvent): BodyPiece => ({ type: "event", event });

/** A server-sent event: its name (`message` when it has none) and its data, lines joined. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/**
 * Decoder of server-sent events from text that arrives in pieces of any size. The parser skips comments, ids and
 * unknown fields; this class bounds what one event may hold and ends the last event of a stream.
 */
export class EventStreamDecoder {
  #events: ServerEvent[] = [];
  /** Characters of the line that is not complete yet; the parser does not count lines that it skips. */
  #lineLength = 0;
  readonly #parser = createParser({
    maxBufferSize: LARGEST_DOCUMENT,
    onEvent: ({ event: name = "message", data }) => void this.#events.push({ name, data }),
  });

  /**
   * Returns the events that this piece completed.
   *
   * @throws ResponseTooLarge when a line or an event has more than `LARGEST_DOCUMENT` characters
   */
  push(text: string): readonly ServerEvent[] {
    const end = text.lastIndexOf("\n");
    const goesOn = end < 0 && !text.includes("\r");
    this.#lineLength = goesOn ? this.#lineLength + text.length : text.length - end - 1;
    if (this.#lineLength > LARGEST_DOCUMENT) throw new ResponseTooLarge();
    return this.#feed(text);
  }

  /** Ends the stream. Its last event counts even when the empty line after it is missing. */
  end(): readonly ServerEvent[] {
    return this.#feed("\n\n");
  }

  #feed(text: string): readonly ServerEvent[] {
    try {
      this.#parser.feed(text);
    } catch (cause) {
      // The parser throws for one reason only: what came before was more than it may hold.
      throw new ResponseTooLarge({ cause });
    }
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }
}
