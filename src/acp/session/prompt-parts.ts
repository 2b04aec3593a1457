import { fileURLToPath } from "node:url";
import { type Store, type UserPart, textPart } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { AcpPorts, ReadableFolders } from "../ports.ts";

/** A block of a prompt, as far as it is used; both versions of the protocol write them so. */
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

type PromptResource = { readonly uri: string; readonly mimeType?: string | null } & (
  | { readonly text: string }
  | { readonly blob: string }
);

export interface PartSources {
  readonly store: Pick<Store, "putBlob">;
  readonly readText: AcpPorts["readText"];
  readonly reach: ReadableFolders;
}

/** Bytes of a linked file that are read into the prompt; the model reads larger ones itself, in parts. */
const LARGEST_LINKED = 64 * 1024;
/** Bytes of an image; model endpoints refuse larger ones. */
const LARGEST_IMAGE = 20 * 1024 * 1024;
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * A prompt's blocks in the host's words. Links to files inside the roots are read, so that the model need not.
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
      throw invalid(place, "audio is not taken here; send its transcript as text");
    case "resource_link":
      return await linkPart(block, sources);
    case "resource": {
      const { resource } = block;
      const mediaType = resource.mimeType ?? undefined;
      if ("text" in resource) {
        const { uri, text } = resource;
        return { type: "resource", uri, text, ...(mediaType === undefined ? {} : { mediaType }) };
      }
      const bytes = bytesOf(resource.blob, place);
      if (mediaType !== undefined && IMAGE_TYPES.has(mediaType))
        return await imagePart(bytes, { place, mediaType, sources });
      return { type: "resource", uri: resource.uri, text: textIn(bytes, place) };
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
    throw invalid(place, `images of type ${mediaType} are not taken; use PNG, JPEG, GIF or WebP`);
  if (bytes.length > LARGEST_IMAGE)
    throw invalid(place, `the image has ${bytes.length} bytes; at most ${LARGEST_IMAGE} are taken`);
  return { type: "image", mediaType, blob: await sources.store.putBlob(bytes) };
}

async function linkPart(
  { uri, name, mimeType }: Extract<PromptBlock, { type: "resource_link" }>,
  { readText, reach }: PartSources,
): Promise<UserPart> {
  const mediaType = mimeType === undefined || mimeType === null ? {} : { mediaType: mimeType };
  const path = pathOf(uri);
  const text = path === undefined ? undefined : await readText(path, reach, LARGEST_LINKED);
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
    // No path of this machine: the model is told the link.
    return undefined;
  }
}

function bytesOf(base64: string, place: string): Buffer {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length === 0) throw invalid(place, "its data is no base64");
  return bytes;
}

function textIn(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalid(place, "it is a binary resource, which only images may be", cause);
  }
}

const invalid = (place: string, problem: string, cause?: unknown): HostError =>
  new HostError("invalid_params", `Invalid params: ${place}: ${problem}.`, {
    cause,
    details: { subject: place },
  });
