import type { Dialect, FrameParts } from "../../src/providers/models/dialects/dialect.ts";
import type { EncodingContext } from "../../src/providers/models/request/content-encoding.ts";

/** The body of a request as text, made in one go: what the bytes that a session keeps must amount to. */
export function plainBody(
  dialect: Pick<Dialect, "encode" | "frame">,
  parts: Omit<FrameParts, "thinks"> & { readonly encoding: EncodingContext },
): string {
  const { request, encoding } = parts;
  const encoded = request.messages.map((message, place) =>
    dialect.encode(message, encoding, request.messages[place - 1]),
  );
  const { head, tail, marks } = dialect.frame({
    ...parts,
    thinks: (message) => encoded[request.messages.indexOf(message)]?.thinks === true,
  });
  const texts = encoded.map(({ text }, place) => text + (marks?.get(place) ?? ""));
  return [...head, ...texts, ...tail].join("");
}
