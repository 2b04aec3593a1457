import { defined } from "../shared/json/defined.ts";

/** The outermost facts of a JSON-RPC message. */
export interface Envelope {
  /** Absent when there is none that could be used. */
  readonly id?: string | number;
  /** It is a request or a notification, not a response. */
  readonly hasMethod: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
/** Bytes of a key or value that are looked at; longer ones are of no interest. */
const LONGEST = 256;

/**
 * A finder of `id` and `method` in a JSON object that is too large to be kept, wherever in it they stand. Bytes go by
 * once, and only the short values of the outermost object are remembered.
 */
export class EnvelopeScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inValue = false;
  #key = "";
  #current: number[] = [];
  #id: string | number | undefined;
  #hasMethod = false;

  feed(bytes: Uint8Array): void {
    for (const byte of bytes) this.#take(byte);
  }

  get envelope(): Envelope {
    return defined({ hasMethod: this.#hasMethod, id: this.#id });
  }

  #take(byte: number): void {
    if (this.#inString) {
      this.#keep(byte);
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
      return;
    }
    if (byte === QUOTE) {
      this.#inString = true;
      this.#keep(byte);
    } else if (OPENING.has(byte)) {
      this.#depth += 1;
    } else if (CLOSING.has(byte)) {
      if (this.#depth === 1) this.#endMember();
      this.#depth -= 1;
    } else if (this.#depth === 1 && byte === COLON && !this.#inValue) {
      this.#key = this.#text();
      this.#inValue = true;
    } else if (this.#depth === 1 && byte === COMMA) this.#endMember();
    else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#current.length < LONGEST) this.#current.push(byte);
  }

  #endMember(): void {
    const value = this.#text();
    if (this.#key === '"id"') this.#id = idIn(value);
    if (this.#key === '"method"') this.#hasMethod = value.startsWith('"');
    this.#key = "";
    this.#inValue = false;
  }

  #text(): string {
    const text = new TextDecoder().decode(Uint8Array.from(this.#current)).trim();
    this.#current = [];
    return text;
  }
}

function idIn(text: string): string | number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  } catch {
    // Cut off because it was too long, or no JSON at all.
    return undefined;
  }
}
