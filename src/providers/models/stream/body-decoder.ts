import { EventStreamDecoder, LARGEST_DOCUMENT, type ServerEvent, ResponseTooLarge } from "./event-stream.ts";

/** What an answer turned out to be: events of a stream, one document, or a page for people. */
export type BodyPiece =
  | { readonly type: "event"; readonly event: ServerEvent }
  | { readonly type: "document"; readonly text: string };

/**
 * Decodes the body of a good answer. What it is shows in its first character and not in its headers: endpoints answer
 * a streamed request with one document, and proxies label streams as anything.
 */
export class BodyDecoder {
  readonly #text = new TextDecoder();
  readonly #events = new EventStreamDecoder();
  #document: string[] | undefined;
  #size = 0;
  #begun = false;

  /** @throws TooLarge */
  push(bytes: Uint8Array): readonly BodyPiece[] {
    return this.#add(this.#text.decode(bytes, { stream: true }));
  }

  /** The body is over. */
  end(): readonly BodyPiece[] {
    const last = this.#add(this.#text.decode());
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
