import { decodeBase64 } from "../../shared/content/data-url.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { imageSize, imageTypeOf } from "../../shared/content/image-header.ts";
import type { OpenSession, PromptImage } from "../gateway/open-sessions.ts";
import type { ATTACHMENT_METHODS } from "../protocol/attachments.ts";
import type { ImageFile } from "../ports.ts";
import { dropped } from "./attachments/dropped-path.ts";
import { type HandlerContext, type HandlersOf, paramError } from "./handler.ts";
import { imageAt, imageInUrl, imageTokens, LARGEST_ATTACHED_IMAGE } from "./attachments/images.ts";
import { pastePlaceholder } from "./attachments/pastes.ts";

export const ATTACHMENT_HANDLERS: HandlersOf<typeof ATTACHMENT_METHODS> = {
  async "clipboard.paste"({ session_id }, context) {
    const { gateway, signal } = context;
    const opened = await gateway.open(session_id);
    const image = await gateway.ports.commands.clipboardImage(signal);
    if (image === undefined) return { attached: false, message: "There is no image in the clipboard." };
    return { attached: true, ...(await attachImage(opened, image, context)) };
  },

  async "image.attach"({ session_id, path }, context) {
    const { gateway } = context;
    const opened = await gateway.open(session_id);
    const { files } = gateway.ports;
    const cwd = opened.session.state.cwd || gateway.newSessionCwd();
    const found = await dropped(path, (text) => files.look(text, cwd));
    if (found?.kind !== "file") throw new HostError("not_found", `There is no file ${path}.`);
    const attached = await attachImage(opened, await files.readImage(found.path), context);
    return { attached: true, ...attached, remainder: found.rest, text: found.rest || mention(attached.name) };
  },

  async "image.attach_bytes"(params, context) {
    const { gateway } = context;
    const opened = await gateway.open(params.session_id);
    const bytes = sentImage(params.content_base64 ?? params.data ?? "");
    const mediaType = imageTypeOf(bytes);
    if (mediaType === undefined) {
      const message = "These bytes are no PNG, JPEG, GIF, WebP or BMP image.";
      throw new HostError("unsupported_content_type", message);
    }
    const name =
      params.filename ?? `image.${params.ext?.replace(/^\./, "") ?? mediaType.slice("image/".length)}`;
    const path = await gateway.ports.archive.saveImage(bytes, name);
    const attached = await attachImage(opened, { path, bytes, mediaType, name }, context);
    return { attached: true, ...attached, bytes: bytes.byteLength, text: mention(attached.name) };
  },

  async "image.detach"({ session_id, path }, { gateway }) {
    const opened = await gateway.open(session_id);
    const before = opened.attachments.length;
    opened.attachments = opened.attachments.filter((attachment) => attachment.path !== path);
    const count = opened.attachments.length;
    return { detached: count < before, count };
  },

  async "input.detect_drop"({ session_id, text }, context) {
    const { gateway } = context;
    const opened = await gateway.open(session_id);
    const { files } = gateway.ports;
    const cwd = opened.session.state.cwd || gateway.newSessionCwd();
    const found = looksDropped(text) ? await dropped(text, (path) => files.look(path, cwd)) : undefined;
    if (found?.kind !== "file") return { matched: false };
    const image = await imageAt(found.path, files);
    const { path, rest } = found;
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (image === undefined) {
      const text = `@file:${path}${rest === "" ? "" : ` ${rest}`}`;
      return { matched: true, is_image: false, path, name, text };
    }
    const attached = await attachImage(opened, image, context);
    return { matched: true, is_image: true, ...attached, text: rest || mention(attached.name) };
  },

  async "paste.collapse"({ text }, { gateway }) {
    const path = await gateway.ports.archive.savePaste(text);
    const lines = text.replace(/\n$/, "").split("\n").length;
    return { placeholder: pastePlaceholder(lines, path), path, lines };
  },
};

const mention = (name: string): string => `[image ${name}]`;

/** Only what begins like a path is one: a prompt that happens to name a file is a prompt. */
const looksDropped = (text: string): boolean => /^\s*(?:["']?(?:\/|~\/|\.{1,2}\/|file:\/\/))/.test(text);

/** @throws HostError `invalid_params`, `limit_exceeded` */
function sentImage(data: string): Uint8Array {
  if (data.length > (LARGEST_ATTACHED_IMAGE * 4) / 3 + 1000) {
    throw new HostError("limit_exceeded", "The image is larger than 25 MB.");
  }
  const bytes = imageInUrl(data)?.bytes ?? decodeBase64(data);
  if (bytes !== undefined && bytes.byteLength > 0) return bytes;
  throw paramError("content_base64", "content_base64 must be base64, or a data: URL of an image.");
}

/** Lets an image go along with the next prompt, under the name of its file when it has none of its own. */
async function attachImage(
  opened: OpenSession,
  { path, bytes, mediaType, name: given = path }: ImageFile & { readonly name?: string },
  { gateway }: HandlerContext,
) {
  const blob = await gateway.host.services.store.putBlob(bytes);
  const size = imageSize(bytes);
  const name = given.slice(given.lastIndexOf("/") + 1);
  const attachment: PromptImage = { path, name, blob, mediaType, ...defined({ size }) };
  opened.attachments = [...opened.attachments.filter((other) => other.path !== path), attachment];
  const token_estimate = size && imageTokens(size);
  return { path, count: opened.attachments.length, name, ...size, ...defined({ token_estimate }) };
}
