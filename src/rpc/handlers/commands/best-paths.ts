/** Places that are compared by the letters alone: more would be felt while typing. */
const MOST_COMPARED = 3000;
/** Below this, the letters are strewn over the path. */
const LEAST_SCORE = 0.3;

/** A search in paths. */
export interface PathSearch {
  /** Any part of a path, such as `core/ho`, or letters of it in their order; any case. */
  readonly wanted: string;
  /** How many paths are given at most. */
  readonly most: number;
}

/**
 * Finds the paths that were most likely meant. Those that have the text as it is come first: where a name begins in it
 * before where it merely goes on, and in the path's own name before in a folder above. Letters in their order come last.
 *
 * @param paths - folders end in a slash
 */
export async function bestPaths(
  paths: readonly string[],
  { wanted, most }: PathSearch,
): Promise<readonly string[]> {
  const text = wanted.toLowerCase();
  const places: string[][] = [[], [], [], []];
  const others: string[] = [];
  for (const path of paths) {
    const lower = path.toLowerCase();
    const place = placeOf(lower, text);
    if (place !== undefined) places[place]?.push(path);
    else if (others.length < MOST_COMPARED && hasLetters(lower, text)) others.push(path);
  }
  const found = places.flatMap((each) => shortestFirst(each, most)).slice(0, most);
  if (found.length === most || others.length === 0) return found;
  return [...found, ...(await closest(others, { wanted, most: most - found.length }))];
}

/** Where a path has a text; lower is better. */
function placeOf(path: string, text: string): number | undefined {
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  const name = path.lastIndexOf("/", end - 1) + 1;
  // The last place is the nearest to the name.
  const at = path.lastIndexOf(text);
  if (at < 0) return undefined;
  const inName = at + text.length > name;
  if (inName) return at <= name && beginsName(path, at) ? 0 : 1;
  return beginsName(path, at) ? 2 : 3;
}

/** Whether a path has the letters of a text in their order. */
function hasLetters(path: string, text: string): boolean {
  let at = -1;
  for (const letter of text) {
    at = path.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

const beginsName = (path: string, at: number): boolean => at === 0 || path[at - 1] === "/";

/** The shortest of many, without putting all in order. */
function shortestFirst(paths: readonly string[], most: number): readonly string[] {
  const lengths = paths.map(({ length }) => length).toSorted((a, b) => a - b);
  const longest = lengths[most - 1] ?? Infinity;
  return paths
    .filter(({ length }) => length <= longest)
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .slice(0, most);
}

async function closest(paths: readonly string[], { wanted, most }: PathSearch): Promise<readonly string[]> {
  const { default: fuzzysort } = await import("fuzzysort");
  // Prepared here, since the package would keep each path for ever.
  const targets = paths.map((path) => fuzzysort.prepare(path));
  return fuzzysort.go(wanted, targets, { limit: most, threshold: LEAST_SCORE }).map(({ target }) => target);
}
