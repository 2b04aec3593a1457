import type { Writable } from "node:stream";
import { type Message, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { SendWindow } from "../../jsonrpc/index.ts";
import type { MessageLimit } from "./message-limit.ts";

/** A message whose JSON is read and written elsewhere: one for many clients is written once for all of them. */
interface TextMessage extends Message {
  readonly text: string;
}

/** The streams of a connection with headers, and the functions that it brings. */
export interface HeaderStreamOptions {
  readonly input: MessageLimit;
  readonly output: Writable;
  readonly receive: (text: string) => void;
  /** The streams are broken: nothing goes to the other side any more. */
  readonly broken: () => void;
}

/** Messages with `Content-Length` headers, as language servers have them. */
export class HeaderStream {
  readonly #writer: StreamMessageWriter;
  readonly #window = new SendWindow();
  readonly #broken: () => void;
  #last: Promise<void> = Promise.resolve();

  constructor({ input, output, receive, broken }: HeaderStreamOptions) {
    this.#broken = broken;
    this.#writer = new StreamMessageWriter(output, { contentTypeEncoder: { name: JSON_TYPE, encode } });
    const reader = new StreamMessageReader(input, { contentTypeDecoder: { name: JSON_TYPE, decode } });
    // A message that is slow to come is nobody's failure.
    reader.partialMessageTimeout = 0;
    reader.onError(broken);
    reader.listen((message) => {
      // The decoder above has made it.
      const { text } = message as TextMessage;
      receive(text);
      input.taken();
    });
  }

  /** Resolves when there is room for more. Never rejects. */
  send(text: string): Promise<void> {
    const room = this.#window.take(text.length);
    const message: TextMessage = { jsonrpc: "2.0", text };
    this.#last = this.#writer.write(message).then(() => this.#window.release(text.length), this.#broken);
    return room;
  }

  /** Resolves when everything that was sent has been taken. */
  drained(): Promise<void> {
    return this.#last;
  }

  /** Lets everybody go who waits: nobody reads any more. */
  close(): void {
    this.#window.close();
    this.#writer.dispose();
  }
}

const JSON_TYPE = "application/json";
const encode = (message: Message): Promise<Uint8Array> =>
  // Only `send` above makes messages for the writer.
  Promise.resolve(Buffer.from((message as TextMessage).text, "utf8"));
const decode = (bytes: Uint8Array): Promise<TextMessage> =>
  Promise.resolve({ jsonrpc: "2.0", text: UTF8.decode(bytes) });
const UTF8 = new TextDecoder();
