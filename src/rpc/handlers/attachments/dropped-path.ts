interface Place {
  readonly path: string;
  readonly kind: "file" | "directory";
}

/** The path that a dropped text names, and the text after it. */
interface Dropped extends Place {
  readonly rest: string;
}

/**
 * Finds the path at the beginning of a text, as terminals write dropped files: quoted, with escaped blanks, as a
 * `file:` address, or bare. Bare paths may have blanks: the longest one that is there wins.
 */
export async function dropped(
  text: string,
  look: (path: string) => Promise<Place | undefined>,
): Promise<Dropped | undefined> {
  const trimmed = text.trim();
  for (const { path, rest } of candidates(trimmed)) {
    if (path === "" || path.includes("\0")) continue;
    const place = await look(path);
    if (place !== undefined) return { ...place, rest: rest.trim() };
  }
  return undefined;
}

/** Words of a bare path that may have blanks. */
const MOST_WORDS = 12;

function* candidates(text: string): Generator<Pick<Dropped, "path" | "rest">, void> {
  const quoted = /^(["'])(.*?)\1/s.exec(text);
  if (quoted !== null) yield { path: quoted[2] ?? "", rest: text.slice(quoted[0].length) };
  const [line = ""] = text.split("\n", 1);
  const ends = [...line.matchAll(/\s+|$/g)].map(({ index }) => index).slice(0, MOST_WORDS);
  for (const end of ends.toReversed()) {
    const bare = line.slice(0, end);
    const rest = text.slice(end);
    yield { path: bare, rest };
    yield { path: bare.replaceAll(/\\(.)/g, "$1"), rest };
    if (bare.startsWith("file:")) yield { path: fromAddress(bare), rest };
  }
}

function fromAddress(address: string): string {
  try {
    return decodeURIComponent(new URL(address).pathname);
  } catch {
    // It only begins like an address.
    return "";
  }
}
