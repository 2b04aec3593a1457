const MARKS: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"],
];

/** Where a page may say how it is encoded: browsers look no further either. */
const DECLARED_WITHIN = 1024;

/**
 * Decodes text as browsers do: by its byte order mark, by what its server said, by what it says of itself; else as
 * UTF-8, or as Windows-1252 when it is none. What cannot be read becomes U+FFFD.
 *
 * @param contentType - the header, with its parameters
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const said = marked ?? /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ?? declared(bytes);
  const decoder = said === undefined ? undefined : decoderOf(said);
  if (decoder !== undefined) return decoder.decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** What a `meta` element or an XML declaration says. */
function declared(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARED_WITHIN));
  const said =
    /<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w.:-]+)/i.exec(head) ??
    /^\s{0,99}<\?xml[^>]{0,99}encoding\s{0,9}=\s{0,9}["']([\w.:-]+)/i.exec(head);
  // Text in which this can be read is in none of two bytes a character, whatever it says.
  return said?.[1]?.replace(/^utf-16.*$/i, "utf-8");
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    // A name that nobody knows: its text is looked at instead.
    return undefined;
  }
}
