import { pathToFileURL } from "node:url";
import type { UserPart } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { OpenSession } from "../../gateway/open-sessions.ts";
import type { HandlerContext } from "../handler.ts";
import { imageAt } from "./images.ts";

/** Mentions of a prompt that are looked up, and characters of all of them and of each. */
const MOST_MENTIONS = 20;
const MOST_CHARACTERS = 200_000;
const FILE_CHARACTERS = 40_000;
const MOST_LISTED = 500;

/** A mention: `@` after a blank, then a path, in quotes when it has blanks. */
const MENTION = /(?<=^|\s)@(?:(?:file|folder):)?(?:"([^"\n]{1,1000})"|([^\s"]{1,1000}))/g;

/**
 * Finds what a prompt mentions as `@path`: the content of files, bounded, the listing of folders, and images. What is no
 * file or folder stays a word.
 */
export async function mentionedParts(
  text: string,
  { opened, context }: { readonly opened: OpenSession; readonly context: HandlerContext },
): Promise<readonly UserPart[]> {
  if (!text.includes("@")) return [];
  const { gateway } = context;
  const cwd = opened.session.state.cwd || gateway.newSessionCwd();
  const parts = new Map<string, UserPart>();
  let room = MOST_CHARACTERS;
  for (const match of [...text.matchAll(MENTION)].slice(0, MOST_MENTIONS)) {
    const place = await placeOf(match[1] ?? match[2] ?? "", cwd, context);
    if (place === undefined || parts.has(place.path) || room <= 0) continue;
    const part = await partOf(place, Math.min(FILE_CHARACTERS, room), context);
    if (part === undefined) continue;
    if (part.type === "resource") room -= part.text.length;
    parts.set(place.path, part);
  }
  return [...parts.values()];
}

type Place = NonNullable<Awaited<ReturnType<HandlerContext["gateway"]["ports"]["files"]["look"]>>>;

/** Looks a path up as it is written, then without the marks that end a sentence. */
async function placeOf(path: string, cwd: string, { gateway }: HandlerContext): Promise<Place | undefined> {
  const { files } = gateway.ports;
  const bare = path.replace(/[.,;:!?)\]}'`]+$/, "");
  const found = await files.look(path, cwd);
  return found ?? (bare === path || bare === "" ? undefined : await files.look(bare, cwd));
}

async function partOf(
  { path, kind }: Place,
  most: number,
  context: HandlerContext,
): Promise<UserPart | undefined> {
  const { files } = context.gateway.ports;
  const uri = decodeURI(pathToFileURL(path).href);
  if (kind === "directory") {
    const paths = await files.walk(path);
    const rest = paths.length - MOST_LISTED;
    const more = rest > 0 ? [`[… ${rest} more; list_files shows the rest]`] : [];
    const text = [...paths.slice(0, MOST_LISTED), ...more].join("\n").slice(0, most);
    return { type: "resource", uri, text: text === "" ? "(the folder is empty)" : text, aside: "file" };
  }
  const image = await imagePart(path, context);
  if (image !== undefined) return image;
  const read = await files.readText(path, most);
  if (read === undefined) return undefined;
  const note =
    read.whole === undefined
      ? ""
      : `\n[… cut: the file has ${read.whole} bytes; read_file shows the rest, with offset]`;
  const { sensitive } = read;
  return { type: "resource", uri, text: `${read.text}${note}`, aside: "file", ...defined({ sensitive }) };
}

const IMAGE = /\.(?:png|jpe?g|gif|webp|bmp)$/i;

async function imagePart(path: string, { gateway }: HandlerContext): Promise<UserPart | undefined> {
  if (!IMAGE.test(path)) return undefined;
  const image = await imageAt(path, gateway.ports.files);
  if (image === undefined) return undefined;
  const blob = await gateway.host.services.store.putBlob(image.bytes);
  return { type: "image", blob, mediaType: image.mediaType, name: path.slice(path.lastIndexOf("/") + 1) };
}
