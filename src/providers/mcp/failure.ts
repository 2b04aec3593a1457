import {
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
import { messageOf } from "../../shared/errors/host-error.ts";
import { visibleLine } from "./visible-text.ts";

const LONGEST = 400;

/**
 * Words a failure for people and models, in one line that no server can stretch.
 *
 * @param login - the name of the server, when the owner can log in at it
 */
export function mcpFailureText(thrown: unknown, login?: string): string {
  const status = statusOf(thrown);
  if (status === 401 || status === 403) {
    const how = login === undefined ? "" : `log in: \`agent mcp login ${login}\`; or `;
    return visibleLine(
      `it wants a login (HTTP ${status}): ${how}give it a token in its headers, such as \`Authorization: "Bearer \${TOKEN}"\``,
      LONGEST,
    );
  }
  if (status === 404 || status === 405)
    return `its address takes no messages (HTTP ${status}). If the server speaks the older way, set \`transport: sse\``;
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed)
    return "the connection has ended";
  if (thrown instanceof UrlElicitationRequiredError) {
    const urls = thrown.elicitations.map(({ url }) => url).join(" ");
    return visibleLine(`it wants the user to open an address in a browser first: ${urls}`, LONGEST);
  }
  const text = messageOf(thrown);
  return visibleLine(text, LONGEST) || "it failed without a word";
}

/** The session that the server had given us is over; it has not looked at the request. */
export const isSessionGone = (thrown: unknown): boolean => statusOf(thrown) === 404;

/** The server could not be reached, or broke off. */
export const isUnreachable = (thrown: unknown): boolean =>
  (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed) ||
  (thrown instanceof Error && "code" in thrown && thrown.code === "fetch_failed");

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof UnauthorizedError) return 401;
  if (thrown instanceof SdkHttpError) return thrown.status;
  // The older kind of connection puts the status where others have a code.
  if (thrown instanceof Error && "code" in thrown && typeof thrown.code === "number") return thrown.code;
  return undefined;
}
