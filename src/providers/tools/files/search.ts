import type { Clock } from "../../../shared/async/clock.ts";
import type { Workspace, WorkspaceDirectory } from "../workspace/workspace.ts";
import { isSecret } from "../workspace/sensitive.ts";
import { parseFilter } from "./ignore-rules.ts";
import { walkTree } from "./walk-tree.ts";

/** A place to search: a directory and names of files below it. */
export interface SearchScope {
  readonly workspace: Workspace;
  readonly directory: WorkspaceDirectory;
  readonly session: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Lines of one file in which a pattern was found, as far as is known before the file itself is looked at. */
export interface Candidate {
  readonly file: string;
  readonly lines: readonly number[];
}

/** A finder of lines: ripgrep where it is installed, our own code elsewhere. */
export interface Searcher {
  /**
   * @param files - paths below the directory
   * @throws HostError `tool_failed` for a pattern that cannot be understood
   */
  search(
    scope: SearchScope,
    pattern: string,
    files: readonly string[],
  ): AsyncGenerator<Candidate, void, void>;
}

/** Files that one call hands to the searcher. */
const BATCH = 500;
/** Characters of their names: a command line has an end. */
const BATCH_CHARACTERS = 60_000;
/** Files that are looked at in all. */
const MOST_FILES = 200_000;
const DEEPEST = 64;

/** Paths of the files under a directory in batches, without what git ignores. */
export async function* fileBatches(
  { workspace, directory, signal }: Pick<SearchScope, "workspace" | "directory" | "signal">,
  glob: string | undefined,
): AsyncGenerator<readonly string[], void, void> {
  const fits = glob === undefined ? () => true : parseFilter(glob);
  let batch: string[] = [];
  let characters = 0;
  let count = 0;
  for await (const { names, kind } of walkTree(workspace, directory, { depth: DEEPEST, signal })) {
    // A file with secrets is searched only when it is named: then somebody was asked.
    if (kind !== "file" || !fits(names) || isSecret(`${directory.path}/${names.join("/")}`)) continue;
    const path = names.join("/");
    batch.push(path);
    characters += path.length;
    count += 1;
    if (batch.length >= BATCH || characters >= BATCH_CHARACTERS) {
      yield batch;
      batch = [];
      characters = 0;
    }
    if (count >= MOST_FILES) break;
  }
  if (batch.length > 0) yield batch;
}
