import type { ImagePart, ToolContent, ToolKind, UserPart } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";

/** Images by the hash of their blob, in base64. */
export type Images = ReadonlyMap<string, string>;

/** The images of an update that shows none. */
export const NO_IMAGES: Images = new Map();

/** A block of content, as the protocol writes it. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
    }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly text: string; readonly mimeType?: string };
    };

export const textBlock = (text: string): Block => ({ type: "text", text });

/** Writes the parts of a prompt as blocks. */
export function userBlocks(parts: readonly UserPart[], images: Images): readonly Block[] {
  return parts.map((part) => {
    switch (part.type) {
      case "text":
        return textBlock(part.text);
      case "image":
        return imageBlock(part, images);
      case "resource": {
        const { uri, text, mediaType } = part;
        return { type: "resource", resource: { uri, text, ...defined({ mimeType: mediaType }) } };
      }
      case "link": {
        const { uri, name, mediaType } = part;
        return { type: "resource_link", uri, name, ...defined({ mimeType: mediaType }) };
      }
    }
  });
}

/** Writes the text and images of a tool's result. Diffs and terminals have forms of their own. */
export function resultBlocks(
  content: readonly ToolContent[],
  { kind, images }: { readonly kind: ToolKind; readonly images: Images },
): readonly Block[] {
  return content.flatMap((part): readonly Block[] => {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [textBlock(KEEPS_LINES.has(kind) ? fenced(part.text) : part.text)];
      case "image":
        return [imageBlock(part, images)];
      case "diff":
      case "terminal":
        return [];
    }
  });
}

/** Puts text into a Markdown fence, so that a client shows its lines and signs as they are. */
export function fenced(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}\n${text}\n${fence}`;
}

const KEEPS_LINES = new Set<ToolKind>(["read", "search", "execute"]);

function imageBlock({ blob, mediaType }: ImagePart, images: Images): Block {
  const data = images.get(blob.hash);
  return data === undefined
    ? textBlock("[an image that is not there any more]")
    : { type: "image", data, mimeType: mediaType };
}
