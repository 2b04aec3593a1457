import type { Params, Result } from "../../protocol/methods.ts";
import type { CompletionItem } from "../../protocol/commands.ts";
import type { FilePort } from "../../ports.ts";
import type { HandlerContext } from "../handler.ts";
import { bestPaths } from "./best-paths.ts";

const MOST = 30;

/** The completions of an `@` alone. */
const HINTS: readonly CompletionItem[] = [
  { text: "@file:", display: "@file:", meta: "a file" },
  { text: "@folder:", display: "@folder:", meta: "a folder" },
];

/** `complete.path`: paths below a folder, or files and folders of the workspace by parts of their paths after an `@`. */
export async function completePath(
  { word, cwd, session_id }: Params<"complete.path">,
  { gateway }: HandlerContext,
): Promise<Result<"complete.path">> {
  const session = session_id === undefined ? undefined : await gateway.session(session_id);
  const folder = cwd ?? (session?.state.cwd || gateway.newSessionCwd());
  const { files } = gateway.ports;
  if (word === "@") {
    // The next letter asks for it. A folder that cannot be walked has nothing to complete.
    files.walk(folder).catch(() => undefined);
    return { items: [...HINTS] };
  }
  const [, kind, wanted = ""] = /^@(?:(file|folder):)?(.*)$/s.exec(word) ?? [];
  if (!word.startsWith("@")) return { items: await listed(files, { typed: word, folder, prefix: "" }) };
  const prefix = kind === undefined ? "@" : `@${kind}:`;
  const below = wanted.includes("/") || wanted.startsWith("~");
  const followed = below ? await listed(files, { typed: wanted, folder, prefix }) : [];
  // A place outside the workspace is followed folder by folder, as is a folder that was named whole.
  if (/^(?:\.{0,2}\/|~)/.test(wanted) || (wanted.endsWith("/") && followed.length > 0))
    return { items: followed };
  const paths = (await files.walk(folder)).filter((path) => {
    return kind === undefined || path.endsWith("/") === (kind === "folder");
  });
  const found = await bestPaths(paths, { wanted, most: MOST });
  const known = new Set(followed.map(({ text }) => text.slice(prefix.length)));
  const items = found
    .filter((path) => !known.has(path))
    .map((path) => item(path, `@${kind ?? kindOf(path)}:${quoted(path)}`));
  return { items: [...followed, ...items].slice(0, MOST) };
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

const kindOf = (path: string): string => (path.endsWith("/") ? "folder" : "file");

const item = (path: string, text: string): CompletionItem => ({
  text,
  display: path.slice(path.replace(/\/$/, "").lastIndexOf("/") + 1),
  meta: path,
});
