import { lstat, opendir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { FileLook } from "./read-file.ts";

/** A file of a folder that may be a document. */
export interface FolderFile extends FileLook {
  /** Absolute. */
  readonly path: string;
  /** Relative to the folder. */
  readonly name: string;
}

/** The documents of a folder and of the folders in it. */
export interface FolderListing {
  /** By name. */
  readonly files: readonly FolderFile[];
  /** Folders that could not be looked into; absolute. */
  readonly closed: readonly string[];
  /** Files and folders that were passed over, by why. */
  readonly links: number;
  readonly otherKinds: number;
  /** There are more files than are read. */
  readonly isCut: boolean;
}

const MOST_FILES = 20_000;
const DEEPEST = 40;
/** Kinds of files that are documents; one that somebody names by itself is read whatever it is called. */
const KINDS: ReadonlySet<string> = new Set(
  ".md .markdown .mdx .txt .text .rst .adoc .asciidoc .org .html .htm .xhtml .pdf .docx".split(" "),
);
/** Files without an ending that are documents in most folders. */
const NAMES = /^(?:readme|changelog|changes|news|faq|howto)$/i;
/** Folders of programs. */
const PASSED_OVER: ReadonlySet<string> = new Set(["node_modules", "__pycache__"]);

/**
 * Lists the documents below a folder. Links are not followed, hidden files and folders are passed over.
 *
 * @throws the system's error when the folder itself cannot be read
 */
export async function listFolder(root: string, signal: AbortSignal): Promise<FolderListing> {
  const files: FolderFile[] = [];
  const closed: string[] = [];
  const count = { links: 0, otherKinds: 0 };
  const folders: { readonly path: string; readonly name: string; readonly depth: number }[] = [
    { path: root, name: "", depth: 0 },
  ];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    signal.throwIfAborted();
    const { depth, path: at } = folder;
    try {
      for await (const entry of await opendir(at)) {
        if (entry.name.startsWith(".") || PASSED_OVER.has(entry.name)) continue;
        const path = join(at, entry.name);
        const name = folder.name === "" ? entry.name : `${folder.name}/${entry.name}`;
        if (entry.isSymbolicLink()) count.links += 1;
        else if (entry.isDirectory() && depth < DEEPEST) folders.push({ path, name, depth: depth + 1 });
        else if (!entry.isFile() || !isDocument(entry.name)) count.otherKinds += 1;
        else if (files.length === MOST_FILES) return { files, closed, ...count, isCut: true };
        else {
          const look = await lstat(path).catch(() => undefined);
          if (look?.isFile() === true) files.push({ path, name, ...fileLook(look) });
        }
      }
    } catch (thrown) {
      if (at === root) throw thrown;
      closed.push(at);
    }
  }
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { files: sorted, closed, ...count, isCut: false };
}

/** The part of a file's facts by which a change is seen. */
export const fileLook = ({ size, mtimeMs, ctimeMs, ino }: FileLook): FileLook => ({
  size,
  mtimeMs,
  ctimeMs,
  ino,
});

const isDocument = (name: string): boolean =>
  KINDS.has(extname(name).toLowerCase()) || (extname(name) === "" && NAMES.test(name));
