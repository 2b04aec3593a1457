import { LARGEST_DOCUMENT, ResponseTooLarge } from "../errors/response-too-large.ts";
import { EventStreamDecoder, type ServerEvent } from "./event-stream.ts";

/** A piece of a body: an event of a stream, or the one document (JSON, or a page for people). */
export type BodyPiece =
  | { readonly type: "event"; readonly event: ServerEvent }
  | { readonly type: "document"; readonly text: string };

/**
 * Decoder of the body of a good answer. Its first character tells a stream from a document, its headers do not:
 * endpoints answer a streamed request with one document, and proxies label streams as anything.
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
