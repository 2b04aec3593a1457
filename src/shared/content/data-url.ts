/** The bytes that a `data:` URL carries. */
export interface DataUrlContent {
  /** In lower case; empty when the URL names none. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Decodes a `data:` URL, in base64 or percent-encoded; `undefined` when it is none, or holds nothing. */
export function decodeDataUrl(url: string): DataUrlContent | undefined {
  const comma = url.indexOf(",");
  if (comma === -1 || !/^data:/i.test(url)) return undefined;
  const [mediaType = "", ...options] = url.slice("data:".length, comma).toLowerCase().split(";");
  const bytes = decodeData(url.slice(comma + 1), options.includes("base64"));
  return bytes === undefined || bytes.length === 0 ? undefined : { mediaType, bytes };
}

function decodeData(data: string, isBase64: boolean): Uint8Array | undefined {
  try {
    const text = isBase64 && !data.includes("%") ? data : decodeURIComponent(data);
    return isBase64 ? decodeBase64(text) : new TextEncoder().encode(text);
  } catch {
    // A percent sign that no two digits follow.
    return undefined;
  }
}

/** Decodes base64 in either alphabet, with or without padding and line breaks; `undefined` when it is something else. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const clean = text.replaceAll(/\s+/g, "");
  if (clean === "" || clean.length % 4 === 1 || !/^[\w+/-]*={0,2}$/.test(clean)) return undefined;
  return Buffer.from(clean, "base64");
}
