import { pathToFileURL } from "node:url";
import type { Store, UserPart } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { FilePort } from "../../ports.ts";
import { imageAt } from "./images.ts";

/** Mentions of a prompt that are looked up, and characters of all of them and of each. */
const MOST_MENTIONS = 20;
const MOST_CHARACTERS = 200_000;
const FILE_CHARACTERS = 40_000;
const MOST_LISTED = 500;

/** A mention: `@` after a blank, then a path, in quotes when it has blanks. */
const MENTION = /(?<=^|\s)@(?:(?:file|folder):)?(?:"([^"\n]{1,1000})"|([^\s"]{1,1000}))/g;

/** The place in which mentions are looked up, and where images are kept. */
export interface MentionSources {
  readonly cwd: string;
  readonly files: FilePort;
  readonly store: Pick<Store, "putBlob">;
}

/**
 * Finds what a prompt mentions as `@path`: the content of files, bounded, the listing of folders, and images. What is no
 * file or folder stays a word.
 */
export async function mentionedParts(text: string, sources: MentionSources): Promise<readonly UserPart[]> {
  if (!text.includes("@")) return [];
  const parts = new Map<string, UserPart>();
  let room = MOST_CHARACTERS;
  for (const match of [...text.matchAll(MENTION)].slice(0, MOST_MENTIONS)) {
    const place = await placeOf(match[1] ?? match[2] ?? "", sources);
    if (place === undefined || parts.has(place.path) || room <= 0) continue;
    const part = await partOf(place, Math.min(FILE_CHARACTERS, room), sources);
    if (part === undefined) continue;
    if (part.type === "resource") room -= part.text.length;
    parts.set(place.path, part);
  }
  return [...parts.values()];
}

type Place = NonNullable<Awaited<ReturnType<FilePort["look"]>>>;

/** Looks a path up as it is written, then without the marks that end a sentence. */
async function placeOf(path: string, { cwd, files }: MentionSources): Promise<Place | undefined> {
  const bare = path.replace(/[.,;:!?)\]}'`]+$/, "");
  const found = await files.look(path, cwd);
  return found ?? (bare === path || bare === "" ? undefined : await files.look(bare, cwd));
}

async function partOf(
  { path, kind }: Place,
  most: number,
  sources: MentionSources,
): Promise<UserPart | undefined> {
  const { cwd, files } = sources;
  const uri = decodeURI(pathToFileURL(path).href);
  if (kind === "directory") {
    const paths = await files.walk(path);
    const rest = paths.length - MOST_LISTED;
    const more = rest > 0 ? [`[… ${rest} more; list_files shows the rest]`] : [];
    const text = [...paths.slice(0, MOST_LISTED), ...more].join("\n").slice(0, most);
    return { type: "resource", uri, text: text === "" ? "(the folder is empty)" : text, aside: "file" };
  }
  const image = await imagePart(path, sources);
  if (image !== undefined) return image;
  const read = await files.readText(path, most);
  // A text that was pasted may name a key of the person's: the agent's own tools ask before they read one.
  if (read === undefined || (read.sensitive === true && !path.startsWith(`${cwd}/`))) return undefined;
  const note =
    read.whole === undefined
      ? ""
      : `\n[… cut: the file has ${read.whole} bytes; read_file shows the rest, with offset]`;
  const { sensitive } = read;
  return { type: "resource", uri, text: `${read.text}${note}`, aside: "file", ...defined({ sensitive }) };
}

const IMAGE = /\.(?:png|jpe?g|gif|webp|bmp)$/i;

async function imagePart(path: string, { files, store }: MentionSources): Promise<UserPart | undefined> {
  if (!IMAGE.test(path)) return undefined;
  const image = await imageAt(path, files);
  if (image === undefined) return undefined;
  const blob = await store.putBlob(image.bytes);
  return { type: "image", blob, mediaType: image.mediaType, name: path.slice(path.lastIndexOf("/") + 1) };
}
