import { HostError } from "../../shared/errors/host-error.ts";

const CRLF = Buffer.from("\r\n");
const LONGEST_LINE = 64 * 1024;

/** An answer of a server, without its line ends: what it says, and the literals that stand in it, in order. */
export interface ImapResponse {
  /** Each literal is `{n}` in it. */
  readonly text: string;
  readonly literals: readonly Buffer[];
}

/**
 * A reader of the answers of an IMAP server: https://www.rfc-editor.org/rfc/rfc9051#section-4. Lines and literals are bounded;
 * what is longer ends the connection.
 */
export class ImapReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #largest: number;
  #buffer: Buffer = Buffer.alloc(0);

  /** @param largest - bytes of a literal */
  constructor(stream: AsyncIterable<Uint8Array>, largest: number) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#largest = largest;
  }

  /** What came and was not read: nobody may have written it before TLS begins. */
  get isEmpty(): boolean {
    return this.#buffer.length === 0;
  }

  /** The next answer. @throws HostError `fetch_failed` when the connection ends, or when it is no IMAP */
  async next(): Promise<ImapResponse> {
    const literals: Buffer[] = [];
    let text = "";
    for (;;) {
      const line = await this.#line();
      text += line;
      if (text.length > LONGEST_LINE) throw notImap("a line is too long");
      const size = /\{(\d{1,10})\}$/.exec(line)?.[1];
      if (size === undefined) return { text, literals };
      if (Number(size) > this.#largest) throw notImap(`a literal of ${size} bytes is too large`);
      literals.push(await this.#bytes(Number(size)));
    }
  }

  async #line(): Promise<string> {
    for (let from = 0; ;) {
      const at = this.#buffer.indexOf(CRLF, from);
      if (at !== -1) {
        const line = this.#buffer.subarray(0, at).toString("utf8");
        this.#buffer = this.#buffer.subarray(at + 2);
        return line;
      }
      if (this.#buffer.length > LONGEST_LINE) throw notImap("a line is too long");
      from = Math.max(0, this.#buffer.length - 1);
      this.#buffer = Buffer.concat([this.#buffer, await this.#more()]);
    }
  }

  async #bytes(count: number): Promise<Buffer> {
    const parts = [this.#buffer];
    let have = this.#buffer.length;
    while (have < count) {
      const chunk = await this.#more();
      parts.push(Buffer.from(chunk));
      have += chunk.length;
    }
    const all = Buffer.concat(parts);
    this.#buffer = all.subarray(count);
    return all.subarray(0, count);
  }

  async #more(): Promise<Uint8Array> {
    const { done, value } = await this.#chunks.next();
    if (done === true) throw new HostError("fetch_failed", "The mail server ended the connection.");
    return value;
  }
}

const notImap = (why: string): HostError =>
  new HostError("fetch_failed", `The mail server does not speak IMAP: ${why}.`);

/** A value in an answer: a word, a text or literal, or a list. `undefined` is NIL. */
export type ImapValue = string | Buffer | undefined | readonly ImapValue[];

const DEEPEST = 20;
const TOKEN = /\s*(?:(\()|(\))|"((?:[^"\\]|\\.)*)"|\{\d+\}|((?:[^\s()"{[]|\[[^\]]*\])+))/y;

/** Reads the values of an answer, as a list. @throws HostError `fetch_failed` when they cannot be read */
export function imapValues({ text, literals }: ImapResponse): readonly ImapValue[] {
  const open: ImapValue[][] = [[]];
  let literal = 0;
  const { length } = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < length) {
    const match = TOKEN.exec(text);
    const list = open.at(-1);
    if (match === null || list === undefined || open.length > DEEPEST)
      throw notImap("an answer cannot be read");
    const [, begin, end, quoted, word] = match;
    if (begin !== undefined) open.push([]);
    else if (end !== undefined) {
      open.pop();
      open.at(-1)?.push(list);
    } else if (quoted !== undefined) list.push(quoted.replaceAll(/\\(.)/g, "$1"));
    else if (word !== undefined) list.push(word.toUpperCase() === "NIL" ? undefined : word);
    else list.push(literals[literal++]);
  }
  if (open.length !== 1) throw notImap("an answer cannot be read");
  return open[0] ?? [];
}
