import type { ImagePart, Store, UserPart } from "../../core/index.ts";
import { type DataUrlContent, decodeDataUrl } from "../../shared/content/data-url.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { badRequest, HttpError } from "../server/http-error.ts";
import type { MessagePart } from "./message-content.ts";

/** A source of images that clients name by address; it goes through the guard of the host's network. */
export interface ImageSource {
  /** @throws HostError `fetch_refused`, `fetch_failed` */
  fetch(url: string, signal: AbortSignal): Promise<DataUrlContent>;
}

/** Remote images of one request: the host sends a request for each. */
const MOST_REMOTE = 64;

/** The services that put the images of a request into the store. */
export interface ImageServices {
  readonly store: Store;
  readonly source: ImageSource;
  readonly signal: AbortSignal;
}

/** Stores the images of parts, as the host takes them. @throws HttpError 400 `invalid_image_url` */
export async function storeImages(
  parts: readonly MessagePart[],
  param: string,
  services: ImageServices,
): Promise<readonly UserPart[]> {
  const remote = parts.filter((part) => part.type === "image" && !part.url.startsWith("data:"));
  if (remote.length > MOST_REMOTE)
    throw badRequest(`At most ${MOST_REMOTE} images may be sent by address.`, param);
  return await Promise.all(
    parts.map(async (part) => (part.type === "text" ? part : await storeImage(part, param, services))),
  );
}

async function storeImage(
  { url, detail }: Extract<MessagePart, { type: "image" }>,
  param: string,
  services: ImageServices,
): Promise<ImagePart> {
  const isData = /^data:/i.test(url);
  const { bytes, mediaType } = isData ? decoded(url, param) : await fetched(url, param, services);
  return { type: "image", blob: await services.store.putBlob(bytes), mediaType, ...defined({ detail }) };
}

async function fetched(
  url: string,
  param: string,
  { source, signal }: ImageServices,
): Promise<DataUrlContent> {
  try {
    return await source.fetch(url, signal);
  } catch (thrown) {
    const { code, message } = toHostError(thrown);
    if (code !== "fetch_failed" && code !== "fetch_refused") throw thrown;
    throw invalidImage(`The image could not be loaded. ${message}`, param, thrown);
  }
}

function decoded(url: string, param: string): DataUrlContent {
  const content = decodeDataUrl(url);
  if (content !== undefined) return content;
  throw invalidImage("The image's data URL holds no valid base64.", param);
}

const invalidImage = (message: string, param: string, cause?: unknown): HttpError =>
  new HttpError(400, message, { code: "invalid_image_url", param, cause });
