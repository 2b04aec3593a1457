import { HostError } from "../../../shared/errors/host-error.ts";
import { LineMatcher } from "./line-matcher.ts";
import { readLines } from "./lines.ts";
import { mediaOf } from "./media.ts";
import type { Searcher, SearchScope } from "./search.ts";

const MOST_LINES = 1000;
const LONGEST_LINE = 64 * 1024;

/** Searches without any program: slower, but always there. */
export const ownSearcher: Searcher = {
  async *search(scope, pattern, files) {
    await using matcher = new LineMatcher(pattern, scope);
    for (const file of files) {
      const lines = await linesOf(scope, file, matcher);
      if (lines.length > 0) yield { file, lines };
    }
  },
};

async function linesOf(
  { workspace, directory, signal }: SearchScope,
  path: string,
  matcher: LineMatcher,
): Promise<readonly number[]> {
  const found: number[] = [];
  try {
    await using file = await workspace.openFile(`${directory.path}/${path}`);
    if ((await mediaOf(file.handle)) !== "text") return found;
    for await (const lines of readLines(file.handle, LONGEST_LINE, signal)) {
      const matches = await matcher.match(lines.map(({ text }) => text));
      for (const at of matches) found.push(lines[at]?.number ?? 0);
      if (found.length >= MOST_LINES) break;
    }
  } catch (error) {
    // A file that is gone, or may not be read, has no lines.
    if (error instanceof HostError && !matcher.failed) return found;
    throw error;
  }
  return found.slice(0, MOST_LINES);
}
