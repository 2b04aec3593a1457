/** The kind of content at an address. */
export type MediaKind = "html" | "pdf" | "text" | "image" | "binary";

/** Bytes that are looked at to tell text from what is none. */
const SNIFFED = 4096;

/** What bytes are, by what their server says and, where that says little or is often wrong, by themselves. */
export function mediaKind(mediaType: string, bytes: Uint8Array): MediaKind {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, SNIFFED));
  if (head.startsWith("%PDF-")) return "pdf";
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") return "html";
  if (mediaType.startsWith("image/") && mediaType !== "image/svg+xml") return "image";
  if (isTextType(mediaType)) return "text";
  if (mediaType !== "" && mediaType !== "application/octet-stream") return "binary";
  if (/^\s*<(!doctype html|html|head|body)[\s>]/i.test(head)) return "html";
  return head.includes("\0") ? "binary" : "text";
}

const isTextType = (mediaType: string): boolean =>
  mediaType.startsWith("text/") ||
  /^application\/(.+\+)?(json|xml|yaml|javascript|ecmascript|toml|graphql|sql)$/.test(mediaType) ||
  /^application\/(x-)?(ndjson|jsonl|yaml|sh|httpd-php|python|typescript|tex|javascript)$/.test(mediaType) ||
  mediaType === "image/svg+xml";
