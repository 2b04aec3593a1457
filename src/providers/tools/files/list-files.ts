import { z } from "zod";
import { type AnyTool, defineTool, textPart } from "../../../core/index.ts";
import { permitRead } from "./permit-read.ts";
import { workspaceOf, type FileTools } from "./file-tools.ts";
import { walkTree, type TreeEntry } from "./walk-tree.ts";

const DEPTH = 3;
const DEEPEST = 20;
const MOST = 1000;
/** Entries of one directory that are shown when there is not room for all. */
const MOST_OF_ONE = 100;

const input = z.object({
  path: z.string().optional().describe("The directory, the working directory by default"),
  depth: z.number().int().min(1).max(DEEPEST).optional().describe(`Levels to show, ${DEPTH} by default`),
});

export function listFilesTool(tools: FileTools): AnyTool {
  return defineTool({
    name: "list_files",
    toolset: "files",
    description:
      "Shows a directory as a tree, without what git ignores. Directories end in a slash, links in an @ sign.",
    kind: "read",
    effect: "pure",
    input,
    label: ({ path = "." }) => `List ${path}`,
    locations: ({ path = "." }, session) => [{ path: workspaceOf(session, tools).locate(path) }],
    permit: ({ path = "." }, { session }) => permitRead(path, session, tools),
    run: async ({ path = ".", depth = DEPTH }, { session, signal }) => {
      const workspace = workspaceOf(session, tools);
      await using directory = await workspace.openDirectory(path);
      const listing = new Listing(tools.limit);
      for await (const entry of walkTree(workspace, directory, { depth, signal })) {
        if (!listing.add(entry)) break;
      }
      const text = listing.text();
      return {
        outcome: "ok",
        content: [textPart(text)],
        summary: `${listing.count} ${listing.count === 1 ? "entry" : "entries"}`,
      };
    },
  });
}

/** The lines of a tree, bounded in number and length. */
class Listing {
  readonly #lines: string[] = [];
  /** Entries so far of each directory on the way to the last one. */
  #counts: number[] = [];
  #room: number;
  #left = 0;
  count = 0;

  constructor(room: number) {
    this.#room = room - 200;
  }

  /** Takes an entry; `false` when there is no room for more. */
  add({ names, kind }: TreeEntry): boolean {
    const level = names.length - 1;
    this.#counts = names.map((_name, at) => (this.#counts[at] ?? 0) + (at === level ? 1 : 0));
    if (level > 0 && this.#counts.some((count, at) => at > 0 && count > MOST_OF_ONE)) {
      if (this.#counts[level] === MOST_OF_ONE + 1) this.#push(`${"  ".repeat(level)}…`);
      this.#left += 1;
      return true;
    }
    const mark = kind === "directory" ? "/" : kind === "symlink" ? "@" : "";
    this.count += 1;
    return this.#push(`${"  ".repeat(level)}${printable(names.at(-1) ?? "")}${mark}`) && this.count < MOST;
  }

  text(): string {
    if (this.count === 0) return "(the directory is empty, or git ignores all of it)";
    const isFull = this.count >= MOST || this.#room <= 0;
    const notes = [
      this.#left > 0 ? `${this.#left} entries of large directories are left out.` : undefined,
      isFull ? "There is more: name a directory to see what is in it." : undefined,
    ].filter((note) => note !== undefined);
    return notes.length === 0 ? this.#lines.join("\n") : `${this.#lines.join("\n")}\n\n[${notes.join(" ")}]`;
  }

  #push(line: string): boolean {
    this.#room -= line.length + 1;
    if (this.#room > 0) this.#lines.push(line);
    return this.#room > 0;
  }
}

/** A name on one line, whatever characters are in it. */
const printable = (name: string): string => (/\p{Cc}/u.test(name) ? JSON.stringify(name) : name);
