import type { ToolContent, ToolKind, UserPart } from "../../core/index.ts";

/** Images by the hash of their blob, in base64. */
export type Images = ReadonlyMap<string, string>;

/** Content as both versions of the protocol write it. */
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

/** What a person put into a prompt. */
export function userBlocks(parts: readonly UserPart[], images: Images): readonly Block[] {
  return parts.map((part) => {
    switch (part.type) {
      case "text":
        return textBlock(part.text);
      case "image":
        return imageBlock(part, images);
      case "resource": {
        const { uri, text, mediaType } = part;
        return { type: "resource", resource: { uri, text, ...mimeTypeOf(mediaType) } };
      }
      case "link":
        return { type: "resource_link", uri: part.uri, name: part.name, ...mimeTypeOf(part.mediaType) };
    }
  });
}

/** The words and images of a tool's result. Diffs and terminals have forms of their own in each version. */
export function resultBlocks(
  content: readonly ToolContent[],
  { kind, images }: { readonly kind: ToolKind; readonly images: Images },
): readonly Block[] {
  return content.flatMap((part): readonly Block[] => {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [textBlock(asShown(part.text, kind))];
      case "image":
        return [imageBlock(part, images)];
      case "diff":
      case "terminal":
        return [];
    }
  });
}

/** Clients show text as Markdown: what must keep its lines and signs is fenced. */
export function fenced(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}\n${text}\n${fence}`;
}

const KEEPS_LINES = new Set<ToolKind>(["read", "search", "execute"]);

const asShown = (text: string, kind: ToolKind): string => (KEEPS_LINES.has(kind) ? fenced(text) : text);

function imageBlock(
  { blob, mediaType }: { readonly blob: { readonly hash: string }; readonly mediaType: string },
  images: Images,
): Block {
  const data = images.get(blob.hash);
  return data === undefined
    ? textBlock("[an image that is not there any more]")
    : { type: "image", data, mimeType: mediaType };
}

const mimeTypeOf = (mediaType: string | undefined) =>
  mediaType === undefined ? {} : { mimeType: mediaType };
