import { defined } from "../../shared/json/defined.ts";
import { HttpError } from "./http-error.ts";

const DEEPEST = 64;
/** A conversation of a hundred thousand messages has fewer. */
const MOST_VALUES = 500_000;
const MOST_KEYS = 10_000;

/**
 * Checks JSON before it is parsed: nesting and number of values are bounded, so that a body of the size that is
 * allowed takes neither much memory nor much time; and a key that comes twice in one object is refused, because readers
 * disagree about which one counts.
 *
 * @returns whether some key is `__proto__`
 * @throws HttpError 400
 */
export function checkJson(text: string): { readonly hasProto: boolean } {
  /** One entry for each open object or array; an object's holds its keys. */
  const open: (Keys | undefined)[] = [];
  let keyNext = false;
  let values = 1;
  let hasProto = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = stringEnd(text, at);
        if (keyNext) {
          const key = keyOf(text.slice(at + 1, end));
          hasProto ||= key === "__proto__";
          open.at(-1)?.add(key);
        }
        keyNext = false;
        at = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (open.length >= DEEPEST) throw invalid(`it is nested deeper than ${DEEPEST} levels.`);
        if ((values += 1) > MOST_VALUES) throw tooMany();
        keyNext = text.charCodeAt(at) === OPEN_OBJECT;
        open.push(keyNext ? new Keys() : undefined);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        keyNext = false;
        break;
      case COMMA:
        if ((values += 1) > MOST_VALUES) throw tooMany();
        keyNext = open.at(-1) !== undefined;
        break;
      default:
    }
  }
  return { hasProto };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

const invalid = (why: string, param?: string): HttpError =>
  new HttpError(400, `Invalid JSON in request body: ${why}`, defined({ param }));

const tooMany = (): HttpError => invalid(`it holds more than ${MOST_VALUES} values.`);

/** Where the string that begins at `start` ends; the end of the text when it does not. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** Up to this many keys, a list is faster than a set. */
const FEW = 8;

class Keys {
  readonly #few: string[] = [];
  #many: Set<string> | undefined;

  add(key: string): void {
    if (this.#many?.has(key) ?? this.#few.includes(key)) {
      const shown = key.slice(0, 64);
      throw invalid(`the key ${JSON.stringify(shown)} comes twice.`, shown);
    }
    if (this.#many === undefined && this.#few.length < FEW) return void this.#few.push(key);
    this.#many ??= new Set(this.#few);
    this.#many.add(key);
    if (this.#many.size > MOST_KEYS) throw invalid(`an object has more than ${MOST_KEYS} keys.`);
  }
}

/** Gives the key that a JSON string stands for. */
function keyOf(written: string): string {
  if (!written.includes("\\")) return written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    // No valid string: the parser says so.
    return written;
  }
}
