import type { HttpContext } from "../server/context.ts";

const NAME = "x-agent-session-id";

/** Gives the header that names the session of an answer. */
export const sessionHeader = (id: string): Readonly<Record<typeof NAME, string>> => ({
  [NAME]: inHeader(id),
});

/** Reads the session that a request names in its header; empty if it names none. */
export function sessionOfHeader(c: HttpContext): string {
  const given = c.req.header(NAME)?.trim() ?? "";
  if (!given.includes("%")) return given;
  const text = decoded(given);
  return inHeader(text) === given ? text : given;
}

/** Only ASCII comes through every client and proxy: other letters are percent-encoded. */
const inHeader = (id: string): string => id.toWellFormed().replaceAll(/[^ -~]+/g, encodeURIComponent);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It is no encoded text, and stands for itself.
    return text;
  }
}
