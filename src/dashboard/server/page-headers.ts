import { SECURITY_HEADERS } from "../../shared/net/bare-answer.ts";

/** The headers of every page: it loads from its own server only, runs no script that stands in it, and is framed nowhere. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  "content-security-policy":
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Half a year, in seconds; only for those who came over TLS. */
export const STRICT_TRANSPORT = { "strict-transport-security": "max-age=15552000" } as const;
