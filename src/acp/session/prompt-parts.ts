import { fileURLToPath } from "node:url";
import { type Store, type UserPart, textPart } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { invalidParam } from "../connection/request-error.ts";
import type { AcpPorts, ReadableFolders } from "../ports.ts";

/** A block of a prompt, as far as it is used. */
export type PromptBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string | null;
    }
  | { readonly type: "resource"; readonly resource: PromptResource };

type PromptResource = { readonly uri: string; readonly mimeType?: string | null | undefined } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/** The sources that the parts of a prompt come from. */
export interface PartSources {
  readonly store: Pick<Store, "putBlob">;
  readonly process: Pick<AcpPorts, "readText">;
  readonly folders: ReadableFolders;
}

/** Bytes of a linked file that are read into the prompt; the model reads larger ones itself, in parts. */
const LARGEST_LINKED = 64 * 1024;
/** Bytes of an image; model endpoints refuse larger ones. */
const LARGEST_IMAGE = 20 * 1024 * 1024;
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Reads the blocks of a prompt. Text files inside the roots that are linked become part of it, so that the model need not
 * read them.
 *
 * @throws HostError `invalid_params` naming the block that cannot be taken
 */
export async function userParts(
  blocks: readonly PromptBlock[],
  sources: PartSources,
): Promise<readonly UserPart[]> {
  const parts: UserPart[] = [];
  for (const [index, block] of blocks.entries())
    parts.push(await userPart(block, `prompt.${index}`, sources));
  return parts;
}

async function userPart(block: PromptBlock, place: string, sources: PartSources): Promise<UserPart> {
  switch (block.type) {
    case "text":
      return textPart(block.text);
    case "image":
      return await imagePart(bytesOf(block.data, place), { place, mediaType: block.mimeType, sources });
    case "audio":
      throw invalidParam(place, "audio is not taken here; send its transcript as text");
    case "resource_link":
      return await linkPart(block, sources);
    case "resource": {
      const { resource } = block;
      const { uri } = resource;
      const mediaType = resource.mimeType ?? undefined;
      if ("text" in resource) {
        const { text } = resource;
        return { type: "resource", uri, text, ...defined({ mediaType }) };
      }
      const bytes = bytesOf(resource.blob, place);
      if (mediaType !== undefined && IMAGE_TYPES.has(mediaType))
        return await imagePart(bytes, { place, mediaType, sources });
      const text = textIn(bytes);
      return text === undefined ? unreadable(uri, { bytes, mediaType }) : { type: "resource", uri, text };
    }
  }
}

async function imagePart(
  bytes: Buffer,
  {
    place,
    mediaType,
    sources,
  }: { readonly place: string; readonly mediaType: string; readonly sources: PartSources },
): Promise<UserPart> {
  if (!IMAGE_TYPES.has(mediaType))
    throw invalidParam(place, `images of type ${mediaType} are not taken; use PNG, JPEG, GIF or WebP`);
  if (bytes.length > LARGEST_IMAGE)
    throw invalidParam(place, `the image has ${bytes.length} bytes; at most ${LARGEST_IMAGE} are taken`);
  return { type: "image", mediaType, blob: await sources.store.putBlob(bytes) };
}

async function linkPart(
  { uri, name, mimeType }: Extract<PromptBlock, { type: "resource_link" }>,
  { process, folders }: PartSources,
): Promise<UserPart> {
  const mediaType = defined({ mediaType: mimeType ?? undefined });
  const path = pathOf(uri);
  const text = path === undefined ? undefined : await process.readText(path, folders, LARGEST_LINKED);
  return text === undefined
    ? { type: "link", uri, name, ...mediaType }
    : { type: "resource", uri, text, ...mediaType };
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    const url = new URL(uri);
    url.hash = "";
    url.search = "";
    return fileURLToPath(url);
  } catch {
    // It is no path of this machine: the model gets the link.
    return undefined;
  }
}

function bytesOf(base64: string, place: string): Buffer {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length === 0) throw invalidParam(place, "its data is no base64");
  return bytes;
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The model is told of what it cannot be shown: of a file it may make something itself. */
function unreadable(
  uri: string,
  { bytes, mediaType = "no known type" }: { readonly bytes: Buffer; readonly mediaType: string | undefined },
): UserPart {
  const what = `a binary resource (${mediaType}, ${bytes.length} bytes)`;
  return textPart(`[${uri} was attached. It is ${what}, whose content cannot be shown here.]`);
}
