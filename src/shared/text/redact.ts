/** Hides known secrets in text that is about to be recorded or shown. */
export interface Redactor {
  /** The text without secrets. */
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
 * Finds secrets by their known values, as they are, in base64, and percent-encoded.
 *
 * @param values - the secrets of this process; those under 8 characters are left out
 */
export function createRedactor(values: Iterable<string>): Redactor {
  const spellings = [
    ...new Set([...values].filter((value) => value.length >= SHORTEST_SECRET).flatMap(spell)),
  ];
  if (spellings.length === 0) return { hide: same, hideInJson: same, stream: wellFormedStream };
  // Longest first, so that a secret that contains another one is hidden whole.
  spellings.sort((a, b) => b.length - a.length);
  const plain = pattern(spellings);
  const escaped = pattern([...new Set([...spellings, ...spellings.map(escapeJson)])]);
  return {
    hide: (text) => text.replace(plain, HIDDEN),
    hideInJson: (json) => json.replace(escaped, HIDDEN),
    stream: () => secretStream(spellings, plain),
  };
}

const same = (text: string): string => text;

function spell(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
  return [secret, base64, base64.replaceAll("+", "-").replaceAll("/", "_"), encodeURIComponent(secret)];
}

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function pattern(spellings: readonly string[]): RegExp {
  return new RegExp(spellings.map((text) => RegExp.escape(text)).join("|"), "g");
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

function secretStream(spellings: readonly string[], plain: RegExp): StreamRedactor {
  const longest = Math.max(...spellings.map(({ length }) => length));
  const firsts = new Set(spellings.map((secret) => secret.charCodeAt(0)));
  let held = "";

  /** Where the text's end begins that could be the beginning of a secret, or half a surrogate pair. */
  const safeEnd = (text: string): number => {
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      if (!firsts.has(text.charCodeAt(at))) continue;
      const end = text.slice(at);
      if (spellings.some((secret) => secret.startsWith(end))) return at;
    }
    return endsInHighSurrogate(text) ? text.length - 1 : text.length;
  };

  return {
    push(text) {
      const all = (held + text).replace(plain, HIDDEN);
      const safe = safeEnd(all);
      held = all.slice(safe);
      return all.slice(0, safe).toWellFormed();
    },
    flush() {
      const rest = held;
      held = "";
      return rest.toWellFormed();
    },
  };
}

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
