import { type ImagePart, type ToolContext, type ToolResult, textPart } from "../../../core/index.ts";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { imageSize, imageTypeOf } from "../../../shared/content/image-header.ts";

/** Bytes of an image. What is too large for a model is made smaller when it is sent. */
export const LARGEST_IMAGE = 20 * 1024 * 1024;

const FORMATS = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Shows an image to the model.
 *
 * @param name - as the model named it
 * @throws HostError `tool_failed` for what is no image, or a damaged one
 */
export async function showImage(
  bytes: Uint8Array,
  shown: { readonly name: string; readonly question?: string | undefined; readonly context: ToolContext },
): Promise<ToolResult> {
  const { name, question, context } = shown;
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined || !FORMATS.has(mediaType))
    throw toolFailed(`${name} is no PNG, JPEG, GIF or WebP image; others cannot be shown`);
  const size = imageSize(bytes);
  if (size === undefined) throw toolFailed(`${name} is a damaged ${mediaType} image`);
  const blob = await context.putBlob(bytes);
  const image: ImagePart = { type: "image", blob, mediaType, name };
  const facts = `${mediaType}, ${size.width} × ${size.height} pixels, ${blob.size} bytes`;
  const text = `${name} is an image (${facts}):`;
  return {
    outcome: "ok",
    content: [
      textPart(question === undefined ? text : `${text}\nTo be answered with it: ${question}`),
      image,
    ],
    summary: facts,
  };
}
