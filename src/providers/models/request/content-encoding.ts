import type { ImagePart, ToolResultMessage, UserPart } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";

/** An image as a request carries it, or the note in place of one that it does not carry. */
export type EncodedImage =
  | { readonly mediaType: string; readonly base64: string }
  | { readonly note: string };

/** The circumstances that the encoding of a message depends on. */
export interface EncodingContext {
  /** The model that reads it. Opaque items go back to their own maker only; `undefined`: to nobody. */
  readonly reader: string | undefined;
  readonly image: (image: ImagePart) => EncodedImage;
}

/** A piece of a prompt or of a tool's result, as every dialect can carry it. */
export type EncodedContent =
  | { readonly type: "text"; readonly text: string }
  | ({ readonly type: "image"; readonly detail?: string } & Extract<EncodedImage, { base64: string }>);

/** The text of a message without content: endpoints refuse empty messages. */
export const EMPTY_TEXT = "(empty)";

/** Encodes the parts of a prompt; the result is never empty. */
export const encodePrompt = (
  parts: readonly UserPart[],
  context: EncodingContext,
): readonly EncodedContent[] => encodeParts(parts, context, EMPTY_TEXT);

/** Encodes the parts of a tool's result that are for its model; the result is never empty. */
export const encodeToolResult = (
  { content }: ToolResultMessage,
  context: EncodingContext,
): readonly EncodedContent[] =>
  encodeParts(
    content.filter((part) => part.type === "text" || part.type === "image"),
    context,
    "(no output)",
  );

function encodeParts(
  parts: readonly UserPart[],
  context: EncodingContext,
  empty: string,
): readonly EncodedContent[] {
  const encoded = parts
    .map((part) => encodePart(part, context))
    .filter((part) => part.type === "image" || part.text.trim() !== "");
  return encoded.length === 0 ? [{ type: "text", text: empty }] : encoded;
}

function encodePart(part: UserPart, context: EncodingContext): EncodedContent {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return encodeImage(part, context);
    case "resource": {
      const type = part.mediaType === undefined ? "" : ` type="${part.mediaType}"`;
      return { type: "text", text: `<resource uri="${part.uri}"${type}>\n${part.text}\n</resource>` };
    }
    case "link":
      return { type: "text", text: `[${part.name}](${part.uri})` };
  }
}

const DETAILS: readonly (string | undefined)[] = ["auto", "low", "high"];

function encodeImage(image: ImagePart, context: EncodingContext): EncodedContent {
  const encoded = context.image(image);
  if ("note" in encoded) return { type: "text", text: encoded.note };
  const detail = DETAILS.includes(image.detail) ? image.detail : undefined;
  return { type: "image", ...encoded, ...defined({ detail }) };
}

/** Gives an image as a `data:` address. */
export const dataUrl = ({ mediaType, base64 }: Extract<EncodedContent, { type: "image" }>): string =>
  `data:${mediaType};base64,${base64}`;
