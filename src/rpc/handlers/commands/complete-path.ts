import type { Params, Result } from "../../protocol/methods.ts";
import type { CompletionItem } from "../../protocol/commands.ts";
import type { FilePort } from "../../ports.ts";
import type { HandlerContext } from "../handler.ts";

const MOST = 30;

/** The completions of an `@` alone. */
const HINTS: readonly CompletionItem[] = [
  { text: "@file:", display: "@file:", meta: "a file" },
  { text: "@folder:", display: "@folder:", meta: "a folder" },
];

/** `complete.path`: paths below a folder, or files of the workspace by parts of their names after an `@`. */
export async function completePath(
  { word, cwd, session_id }: Params<"complete.path">,
  { gateway }: HandlerContext,
): Promise<Result<"complete.path">> {
  const session = session_id === undefined ? undefined : await gateway.session(session_id);
  const folder = cwd ?? (session?.state.cwd || gateway.newSessionCwd());
  const { files } = gateway.ports;
  if (word === "@") return { items: [...HINTS] };
  const [, kind, wanted = ""] = /^@(?:(file|folder):)?(.*)$/s.exec(word) ?? [];
  if (!word.startsWith("@")) return { items: await listed(files, { typed: word, folder, prefix: "" }) };
  const prefix = kind === undefined ? "@" : `@${kind}:`;
  // A path is followed folder by folder; a mere name is looked for everywhere.
  if (/[/~]/.test(wanted)) return { items: await listed(files, { typed: wanted, folder, prefix }) };
  const found = (await files.walk(folder)).filter((path) => {
    return kind === undefined || path.endsWith("/") === (kind === "folder");
  });
  return { items: best(found, wanted).map((path) => item(path, `@${kind ?? kindOf(path)}:${quoted(path)}`)) };
}

/** A path as a mention: in quotes when it has blanks. */
const quoted = (path: string): string => (/\s/.test(path) ? `"${path}"` : path);

interface Listing {
  readonly typed: string;
  readonly folder: string;
  readonly prefix: string;
}

async function listed(files: FilePort, { typed, folder, prefix }: Listing): Promise<CompletionItem[]> {
  const slash = typed.lastIndexOf("/") + 1;
  const [parent, start] = [typed.slice(0, slash), typed.slice(slash)];
  const place = await files.look(parent === "" ? "." : parent, folder);
  if (place?.kind !== "directory") return [];
  const entries = await files.list(place.path);
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(start.toLowerCase()))
    .filter(({ name }) => start.startsWith(".") || !name.startsWith("."))
    .toSorted((a, b) => Number(b.directory) - Number(a.directory) || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name, directory }) => {
      const path = `${parent}${name}${directory ? "/" : ""}`;
      return {
        text: `${prefix}${path}`,
        display: directory ? `${name}/` : name,
        meta: directory ? "folder" : "",
      };
    });
}

/** The paths in which the typed letters occur in order; those that name it best come first. */
function best(paths: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const scored = paths.flatMap((path) => {
    const score = scoreOf(path.toLowerCase(), wanted);
    return score === undefined ? [] : [{ path, score }];
  });
  return scored
    .toSorted((a, b) => a.score - b.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, MOST)
    .map(({ path }) => path);
}

/** Lower is better: the name begins with it, the name has it, the path has it, its letters occur in order. */
function scoreOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.replace(/\/$/, "").lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = -1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at < 0) return undefined;
  }
  return 3;
}

const kindOf = (path: string): string => (path.endsWith("/") ? "folder" : "file");

const item = (path: string, text: string): CompletionItem => ({
  text,
  display: path.slice(path.replace(/\/$/, "").lastIndexOf("/") + 1),
  meta: path,
});
