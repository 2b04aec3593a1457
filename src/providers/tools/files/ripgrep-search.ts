import { realpath } from "node:fs/promises";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import type { Spawner } from "../spawn/spawner.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { ownSearcher } from "./own-search.ts";
import type { Candidate, Searcher } from "./search.ts";
import { findProgram } from "../spawn/find-program.ts";

/** Lines of one file that are of interest. */
const MOST_LINES = 1000;
/** Bytes of one batch's findings. */
const MOST_OUTPUT = 16 * 1024 * 1024;

const OPTIONS = [
  "--no-config",
  "--no-ignore",
  "--no-messages",
  "--hidden",
  "--text",
  "--crlf",
  "--color=never",
  "--no-heading",
  "--with-filename",
  "--line-number",
  "--null",
  // Only where something was found is asked for, not what.
  "--max-columns=1",
  `--max-count=${MOST_LINES}`,
  "--engine=auto",
];

/** Searches with ripgrep. What it says is only a hint: it may have followed a link that was not there before. */
export function ripgrepSearcher(program: string, spawner: Pick<Spawner, "spawn">): Searcher {
  return {
    async *search(scope, pattern, files) {
      const { workspace, directory, session, signal } = scope;
      // In the workspace it could be anybody's.
      if (await isIn(workspace, program)) {
        yield* ownSearcher.search(scope, pattern, files);
        return;
      }
      const output: Uint8Array[] = [];
      const errors: Uint8Array[] = [];
      let room = MOST_OUTPUT;
      const child = await spawner.spawn({
        file: program,
        args: [...OPTIONS, "-e", pattern, "--", ...files.map((file) => `./${file}`)],
        cwd: directory.reference,
        label: "ripgrep",
        session,
        signal,
        output(chunk) {
          if (room > 0) output.push(chunk.subarray(0, room));
          room -= chunk.length;
        },
        errors: (chunk) => void (errors.length < 10 && errors.push(chunk)),
      });
      const { code } = await child.exited;
      signal.throwIfAborted();
      const said = Buffer.concat(errors).toString().trim();
      // 2 is also said when a single file could not be read; then there is nothing on its standard error.
      if (code !== 0 && code !== 1 && said !== "") {
        throw toolFailed(`The pattern cannot be used: ${said.slice(0, 2000)}`);
      }
      const found = [...parseFindings(Buffer.concat(output).toString())];
      // It works on several files at a time and says first what it has first.
      const order = new Map(files.map((file, at) => [file, at]));
      yield* found.sort((a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0));
    },
  };
}

const isIn = (workspace: Workspace, path: string): Promise<boolean> =>
  realpath(path)
    .then((real) => workspace.realPath(real))
    .then(
      () => true,
      () => false,
    );

/** Reads `path NUL line : …` lines; the path may itself contain line ends. */
export function* parseFindings(text: string): Generator<Candidate, void, void> {
  let file: string | undefined;
  let lines: number[] = [];
  for (let at = 0; ;) {
    const end = text.indexOf("\0", at);
    const colon = text.indexOf(":", end);
    const next = text.indexOf("\n", colon);
    if (end < 0 || colon < 0) break;
    const path = text.slice(at, end).replace(/^\.\//, "");
    if (path !== file && file !== undefined) {
      yield { file, lines };
      lines = [];
    }
    file = path;
    lines.push(Number(text.slice(end + 1, colon)));
    if (next < 0) break;
    at = next + 1;
  }
  if (file !== undefined) yield { file, lines };
}

/**
 * Finds ripgrep: the one that came with the package, else one that is installed.
 *
 * @param path - directories as in the variable PATH
 */
export async function findRipgrep(path: string | undefined): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    // An optional package, and not there for every platform.
    return findProgram("rg", path);
  }
}
