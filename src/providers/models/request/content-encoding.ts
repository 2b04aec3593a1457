import type { ImagePart, ToolResultMessage, UserPart } from "../../../core/index.ts";
import type { EncodingContext, EncodedImage } from "../dialects/dialect.ts";

/** A piece of a prompt or of a tool's result, as every dialect can say it. */
export type EncodedContent =
  | { readonly type: "text"; readonly text: string }
  | ({ readonly type: "image"; readonly detail?: string } & Extract<EncodedImage, { base64: string }>);

/** What stands where nothing was said: endpoints refuse empty messages. */
export const EMPTY_TEXT = "(empty)";
const NO_OUTPUT = "(no output)";

/** What a prompt says; never empty. */
export function encodePrompt(
  parts: readonly UserPart[],
  encoding: EncodingContext,
): readonly EncodedContent[] {
  const said = parts.map((part) => encodePart(part, encoding)).filter(isNotEmpty);
  return said.length === 0 ? [{ type: "text", text: EMPTY_TEXT }] : said;
}

/** What a result says to its model; never empty. What is for people only is left out. */
export function encodeToolResult(
  { content }: ToolResultMessage,
  encoding: EncodingContext,
): readonly EncodedContent[] {
  const said = content
    .filter((part) => part.type === "text" || part.type === "image")
    .map((part): EncodedContent => (part.type === "text" ? part : encodeImage(part, encoding)))
    .filter(isNotEmpty);
  return said.length === 0 ? [{ type: "text", text: NO_OUTPUT }] : said;
}

export const dataUrl = ({ mediaType, base64 }: Extract<EncodedContent, { type: "image" }>): string =>
  `data:${mediaType};base64,${base64}`;

const isNotEmpty = (said: EncodedContent): boolean => said.type === "image" || said.text.trim() !== "";

function encodePart(part: UserPart, encoding: EncodingContext): EncodedContent {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return encodeImage(part, encoding);
    case "resource": {
      const type = part.mediaType === undefined ? "" : ` type="${part.mediaType}"`;
      return { type: "text", text: `<resource uri="${part.uri}"${type}>\n${part.text}\n</resource>` };
    }
    case "link":
      return { type: "text", text: `[${part.name}](${part.uri})` };
  }
}

const DETAILS = ["auto", "low", "high"];

function encodeImage(image: ImagePart, encoding: EncodingContext): EncodedContent {
  const shown = encoding.image(image);
  if ("note" in shown) return { type: "text", text: shown.note };
  const { detail } = image;
  const isKnown = detail !== undefined && DETAILS.includes(detail);
  return isKnown ? { type: "image", ...shown, detail } : { type: "image", ...shown };
}
