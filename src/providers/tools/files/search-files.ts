import { basename, dirname, join, relative } from "node:path";
import { z } from "zod";
import {
  type AnyTool,
  type ToolContext,
  type ToolResult,
  type ToolRun,
  defineTool,
  textPart,
} from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { Workspace, WorkspaceDirectory } from "../workspace/workspace.ts";
import { workspaceOf, type FileTools } from "./file-tools.ts";
import { readLines } from "./lines.ts";
import { permitRead } from "./permit-read.ts";
import { mediaOf } from "./media.ts";
import { fileBatches, type Candidate, type Searcher, type SearchScope } from "./search.ts";

const LIMIT = 100;
const MOST = 1000;
const LONGEST_LINE = 400;

const input = z.object({
  pattern: z.string().min(1).describe("A regular expression, applied to each line"),
  path: z.string().optional().describe("A directory or file, the working directory by default"),
  glob: z.string().optional().describe("Only files that fit, for example *.ts or src/**/*.{js,ts}"),
  limit: z.number().int().min(1).max(MOST).optional().describe(`Most lines to find, ${LIMIT} by default`),
});

type Input = z.output<typeof input>;

/** Settings of the search tool. */
export interface SearchTools extends FileTools {
  /** Ripgrep, where it is there. */
  readonly searcher: () => Promise<Searcher>;
}

export function searchFilesTool(tools: SearchTools): AnyTool {
  return defineTool({
    name: "search_files",
    toolset: "files",
    description:
      "Searches the content of files by a regular expression. Gives `path:line: text` for each line found, without files that git ignores and binary files.",
    kind: "search",
    effect: "pure",
    input,
    label: ({ pattern, path }) => `Search ${pattern}${path === undefined ? "" : ` in ${path}`}`,
    locations: ({ path = "." }, session) => [{ path: workspaceOf(session, tools).locate(path) }],
    permit: ({ path = "." }, { session }) => permitRead(path, session, tools),
    run: (request, context) => search(request, context, tools),
  });
}

/** What is searched: a directory, or one file in it. */
interface Base {
  readonly directory: WorkspaceDirectory;
  readonly file?: string;
  /** The directory's path for people: relative to where the session works. */
  readonly shown: string;
}

async function* search(
  { pattern, path = ".", glob, limit = LIMIT }: Input,
  context: ToolContext,
  tools: SearchTools,
): ToolRun {
  const { session, clock, signal } = context;
  const workspace = workspaceOf(session, tools);
  const base = await openBase(workspace, path, session.cwd);
  await using directory = base.directory;
  const { file } = base;
  const scope: SearchScope = { workspace, directory, session: session.id, clock, signal };
  const searcher = await tools.searcher();
  const found = new Findings(base, { limit, room: tools.limit - 200 });
  const batches = file === undefined ? fileBatches(scope, glob) : [[file]];
  let files = 0;
  for await (const batch of batches) {
    for await (const candidate of searcher.search(scope, pattern, batch)) {
      await found.add(scope, candidate);
      if (found.isFull) return found.result();
    }
    files += batch.length;
    yield { preview: `${files} files, ${found.count} lines found` };
  }
  return found.result();
}

async function openBase(workspace: Workspace, path: string, cwd: string): Promise<Base> {
  const absolute = workspace.locate(path);
  try {
    return { directory: await workspace.openDirectory(path), shown: relative(cwd, absolute) };
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "tool_failed") throw error;
  }
  // It is none; then a file, or an error that says what it is.
  await using file = await workspace.openFile(path);
  const directory = await workspace.openDirectory(dirname(file.path));
  return { directory, file: basename(file.path), shown: relative(cwd, dirname(absolute)) };
}

/** Collects lines, read by ourselves: a searcher's word is not enough to show what is in a file. */
class Findings {
  readonly #base: Base;
  readonly #limit: number;
  #room: number;
  readonly #lines: string[] = [];
  readonly #files = new Set<string>();
  isFull = false;

  constructor(base: Base, { limit, room }: { readonly limit: number; readonly room: number }) {
    this.#base = base;
    this.#limit = limit;
    this.#room = room;
  }

  get count(): number {
    return this.#lines.length;
  }

  async add({ workspace, directory, signal }: SearchScope, { file, lines }: Candidate): Promise<void> {
    try {
      await using opened = await workspace.openFile(`${directory.path}/${file}`);
      if ((await mediaOf(opened.handle)) !== "text") return;
      const wanted = new Set(lines.slice(0, this.#limit - this.count + 1));
      const last = Math.max(...wanted);
      for await (const piece of readLines(opened.handle, LONGEST_LINE, signal)) {
        for (const { number, text, cut } of piece) {
          if (wanted.has(number))
            this.#push(file, `${number}: ${text}${cut > 0 ? ` [… ${cut} more characters]` : ""}`);
          if (this.isFull || number >= last) return;
        }
      }
    } catch (error) {
      // It was taken away, or led outside, since the searcher saw it.
      if (!(error instanceof HostError)) throw error;
    }
  }

  result(): ToolResult {
    if (this.count === 0)
      return { outcome: "ok", content: [textPart("Nothing was found.")], summary: "nothing found" };
    const more = this.isFull ? "\n\n[There is more: narrow the pattern, the path or the glob.]" : "";
    const lines = this.count === 1 ? "1 line" : `${this.count} lines`;
    const files = this.#files.size === 1 ? "1 file" : `${this.#files.size} files`;
    return {
      outcome: "ok",
      content: [textPart(this.#lines.join("\n") + more)],
      summary: `${lines} in ${files}${this.isFull ? ", and more" : ""}`,
    };
  }

  #push(file: string, found: string): void {
    const line = `${join(this.#base.shown, file)}:${found}`;
    this.#room -= line.length + 1;
    this.isFull = this.count >= this.#limit || this.#room < 0;
    if (this.isFull) return;
    this.#lines.push(line);
    this.#files.add(file);
  }
}
