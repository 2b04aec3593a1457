import { type DataUrlContent, decodeDataUrl } from "../../shared/content/data-url.ts";
import type { ImagePart, Store, UserPart } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { HttpError } from "../server/http-error.ts";
import type { MessagePart } from "./message-content.ts";

/** Gets an image that a client named by its address, through whatever guards the host's network. */
export interface ImageSource {
  /** @throws HostError `fetch_refused`, `fetch_failed` */
  fetch(
    url: string,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string }>;
}

/** Remote images of one request: each is a request of ours to somebody. */
const MOST_REMOTE = 64;

export interface ImageServices {
  readonly store: Store;
  readonly source: ImageSource;
  readonly signal: AbortSignal;
}

/**
 * The parts as the host takes them; images are in the store then.
 *
 * @throws HttpError 400 `invalid_image_url`
 */
export async function storeImages(
  parts: readonly MessagePart[],
  param: string,
  services: ImageServices,
): Promise<readonly UserPart[]> {
  const remote = parts.filter((part) => part.type === "image" && !part.url.startsWith("data:"));
  if (remote.length > MOST_REMOTE)
    throw new HttpError(400, `At most ${MOST_REMOTE} images may be sent by address.`, { param });
  return await Promise.all(
    parts.map(async (part) => (part.type === "text" ? part : await storeImage(part, param, services))),
  );
}

type GivenImage = Extract<MessagePart, { type: "image" }>;

async function storeImage(
  { url, detail }: GivenImage,
  param: string,
  { store, source, signal }: ImageServices,
): Promise<ImagePart> {
  const { bytes, mediaType } = /^data:/i.test(url)
    ? imageInUrl(url, param)
    : await load(url, param, { source, signal });
  const blob = await store.putBlob(bytes);
  return { type: "image", blob, mediaType, ...(detail === undefined ? {} : { detail }) };
}

async function load(
  url: string,
  param: string,
  { source, signal }: Pick<ImageServices, "source" | "signal">,
): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string }> {
  try {
    return await source.fetch(url, signal);
  } catch (thrown) {
    const { code, message } = toHostError(thrown);
    if (code !== "fetch_failed" && code !== "fetch_refused") throw thrown;
    throw new HttpError(400, `The image could not be loaded. ${message}`, {
      code: "invalid_image_url",
      param,
      cause: thrown,
    });
  }
}

function imageInUrl(url: string, param: string): DataUrlContent {
  const content = decodeDataUrl(url);
  if (content !== undefined) return content;
  throw new HttpError(400, "The image's data URL holds no valid base64.", {
    code: "invalid_image_url",
    param,
  });
}
