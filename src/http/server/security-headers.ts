import { SECURITY_HEADERS } from "../../shared/net/bare-answer.ts";
import type { HttpContext } from "./context.ts";

/** Puts the security headers, or others, on the answer to a request. */
export function setHeaders(c: HttpContext, headers = SECURITY_HEADERS): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}
