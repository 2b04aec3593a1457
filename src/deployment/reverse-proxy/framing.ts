import type { IncomingMessage } from "node:http";

/** The one way in which the end of a body is told. */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly length: string }
  | { readonly kind: "chunked" };

const DIGITS = /^\d{1,15}$/;
/** Fields that say where a request ends, or for whom it is: no client may have them dropped on the way. */
const KEPT = new Set(["content-length", "transfer-encoding", "host"]);
/** Spellings that some servers take for a framing field, and others for a field of that name. */
const LOOKALIKE = /^(?:content[^a-z]*length|transfer[^a-z]*encoding)$/;

/**
 * Reads how a request is framed. Servers disagree about everything that is not said plainly, and what they disagree
 * about is a second request to one of them: it is refused.
 *
 * @returns `undefined` for a request that two servers could read differently
 */
export function framingOf(request: IncomingMessage): Framing | undefined {
  const { rawHeaders, httpVersion } = request;
  if (valuesOf(rawHeaders, "host").length > 1) return undefined;
  for (const [name, value] of fieldsOf(rawHeaders)) {
    // What stands for a line's end somewhere begins a new line there.
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) return undefined;
    if (LOOKALIKE.test(name) && !KEPT.has(name)) return undefined;
  }
  if (namedByConnection(rawHeaders).some((name) => KEPT.has(name))) return undefined;
  const lengths = valuesOf(rawHeaders, "content-length");
  const encodings = valuesOf(rawHeaders, "transfer-encoding");
  const [length] = lengths;
  const [encoding] = encodings;
  if (lengths.length + encodings.length > 1) return undefined;
  if (encoding !== undefined)
    return httpVersion === "1.1" && encoding.toLowerCase() === "chunked" ? { kind: "chunked" } : undefined;
  if (length === undefined) return { kind: "none" };
  return DIGITS.test(length) ? { kind: "length", length } : undefined;
}

/** The fields of one connection that a message names in `Connection`. */
export const namedByConnection = (rawHeaders: readonly string[]): readonly string[] =>
  valuesOf(rawHeaders, "connection").flatMap((value) =>
    value.split(",").map((name) => name.trim().toLowerCase()),
  );

/** Names in lower case, with their values. */
export function fieldsOf(rawHeaders: readonly string[]): readonly (readonly [name: string, value: string])[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ""] as const] : [],
  );
}

const valuesOf = (rawHeaders: readonly string[], wanted: string): readonly string[] =>
  fieldsOf(rawHeaders).flatMap(([name, value]) => (name === wanted ? [value] : []));
