import type { HttpContext } from "./context.ts";

/** The headers of every answer: a browser must not show it as a page, frame it, or guess its type. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "x-frame-options": "DENY",
};

/** Puts the security headers, or others, on the answer to a request. */
export function setHeaders(c: HttpContext, headers = SECURITY_HEADERS): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}
