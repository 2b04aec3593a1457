import { Refusal } from "./refusal.ts";

const DEEPEST = 64;

/**
 * Looks at JSON before it is parsed: nesting is bounded, so that a small body cannot take much memory, and a key that
 * comes twice in one object is refused, because readers disagree about which one counts.
 *
 * @throws Refusal 400
 */
export function checkJson(text: string): void {
  /** One entry for each open object or array; an object's holds its keys. */
  const open: (Set<string> | undefined)[] = [];
  let keyNext = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = stringEnd(text, at);
        const keys = open.at(-1);
        if (keyNext && keys !== undefined) addKey(keys, text.slice(at + 1, end));
        keyNext = false;
        at = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (open.length >= DEEPEST)
          throw new Refusal(400, `Invalid JSON in request body: it is nested deeper than ${DEEPEST} levels.`);
        keyNext = text.charCodeAt(at) === OPEN_OBJECT;
        open.push(keyNext ? new Set() : undefined);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        keyNext = false;
        break;
      case COMMA:
        keyNext = open.at(-1) !== undefined;
        break;
      default:
    }
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Where the string that begins at `start` ends; the end of the text when it does not. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function addKey(keys: Set<string>, written: string): void {
  const key = written.includes("\\") ? unescaped(written) : written;
  if (keys.has(key)) {
    const shown = key.slice(0, 64);
    throw new Refusal(400, `Invalid JSON in request body: the key ${JSON.stringify(shown)} comes twice.`, {
      param: shown,
    });
  }
  keys.add(key);
}

function unescaped(written: string): string {
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    // No valid string: the parser says so.
    return written;
  }
}
