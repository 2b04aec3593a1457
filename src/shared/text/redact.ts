import { LiteralMatcher } from "./literal-matcher.ts";
import { LiteralScan, type FoundRange } from "./literal-scan.ts";
import { secretSpellings } from "./secret-spellings.ts";

/** Hides known secrets in text that is about to be recorded or shown. */
export interface Redactor {
  hide(text: string): string;
  /** The JSON text without secrets, also where they are escaped. Stays valid JSON. */
  hideInJson(json: string): string;
  /** A stream's own state: a secret that comes in pieces is found too. */
  stream(): StreamRedactor;
}

/** Hides secrets in text that comes in pieces. */
export interface StreamRedactor {
  /** Takes the next piece and gives back what is safe to show; a possible beginning of a secret is held back. */
  push(text: string): string;
  /** Gives the text that was held back, at the end of the stream. */
  flush(): string;
}

const HIDDEN = "[redacted]";

/** Shorter values are left alone: they would hide ordinary words. */
const SHORTEST_SECRET = 8;

/**
 * Finds secrets by their known values, in all spellings of `secretSpellings`. The time it takes is linear in the text,
 * whatever the number of secrets.
 *
 * @param values - the secrets of this process; those under 8 characters are left out
 */
export function createRedactor(values: Iterable<string>): Redactor {
  const secrets = [...new Set(values)].filter((value) => value.length >= SHORTEST_SECRET);
  if (secrets.length === 0) return { hide: same, hideInJson: same, stream: wellFormedStream };
  const matcher = new LiteralMatcher(secrets.flatMap(secretSpellings));
  return {
    hide(text) {
      const scan = new LiteralScan(matcher);
      scan.push(text);
      return withoutSpans(text, scan.found);
    },
    hideInJson(json) {
      const scan = new LiteralScan(matcher);
      scan.pushJson(json);
      return withoutSpans(json, scan.found);
    },
    stream: () => secretStream(matcher),
  };
}

/** Gives the redactor for secrets that change; it is made anew when they have. */
export function redactorOf(secrets: () => Iterable<string>): () => Redactor {
  let known: readonly string[] = [];
  let redactor = createRedactor(known);
  return () => {
    const now = [...secrets()];
    if (now.length !== known.length || now.some((value, index) => value !== known[index])) {
      known = now;
      redactor = createRedactor(known);
    }
    return redactor;
  };
}

const same = (text: string): string => text;

/** @param from - the place of the text's first character, as spans count */
function withoutSpans(text: string, spans: readonly FoundRange[], from = 0): string {
  if (spans.length === 0) return text;
  const pieces: string[] = [];
  let at = from;
  for (const { start, end } of spans) {
    pieces.push(text.slice(at - from, start - from), HIDDEN);
    at = end;
  }
  pieces.push(text.slice(at - from));
  return pieces.join("");
}

/** Pieces without secrets to look for: only a lone half of a surrogate pair is held back. */
function wellFormedStream(): StreamRedactor {
  let held = "";
  return {
    push(text) {
      const all = held === "" ? text : held + text;
      held = endsInHighSurrogate(all) ? all.slice(-1) : "";
      return (held === "" ? all : all.slice(0, -1)).toWellFormed();
    },
    flush() {
      const rest = held;
      held = "";
      return rest.toWellFormed();
    },
  };
}

function secretStream(matcher: LiteralMatcher): StreamRedactor {
  let scan = new LiteralScan(matcher);
  let held = "";
  /** The place of the first character that is held. */
  let from = 0;
  return {
    push(text) {
      scan.push(text);
      const all = held === "" ? text : held + text;
      const settled = scan.settled - from;
      const safe = settled === all.length && endsInHighSurrogate(all) ? settled - 1 : settled;
      const done = scan.found.findLastIndex(({ end }) => end <= from + safe) + 1;
      const shown = withoutSpans(all.slice(0, safe), scan.found.splice(0, done), from);
      held = all.slice(safe);
      from += safe;
      return shown.toWellFormed();
    },
    flush() {
      const rest = withoutSpans(held, scan.found, from);
      scan = new LiteralScan(matcher);
      held = "";
      from = 0;
      return rest.toWellFormed();
    },
  };
}

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
