const ALLOWED_HEADERS = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "Last-Event-ID",
  "X-Agent-Model",
  "X-Agent-Session-Id",
  "X-Agent-Session-Key",
  "X-Agent-Tool-Items",
  "X-Agent-Persona",
  "X-Agent-Tools",
].join(", ");

const EXPOSED_HEADERS = [
  "Idempotency-Replayed",
  "Retry-After",
  "X-Agent-Completed",
  "X-Agent-Error",
  "X-Agent-Partial",
  "X-Agent-Session-Id",
  "X-Agent-Session-Key",
  "X-Agent-Warning",
  "X-Request-Id",
].join(", ");

const COMMON = {
  "access-control-allow-methods": "GET, POST, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": ALLOWED_HEADERS,
  "access-control-expose-headers": EXPOSED_HEADERS,
  "access-control-max-age": "600",
};

type Headers = Readonly<Record<string, string>>;

const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * More headers of a preflight's answer: clients send headers of their own, each under other names, and a page whose
 * origin may call may send them all.
 *
 * @param asked - its `Access-Control-Request-Headers`
 */
export function preflightHeaders(asked: string | undefined): Headers {
  if (asked === undefined || asked.length > LONGEST_ASKED || !HEADER_NAMES.test(asked.trim())) return {};
  return { "access-control-allow-headers": `${ALLOWED_HEADERS}, ${asked.trim()}` };
}

const LONGEST_ASKED = 4096;

/**
 * The headers that let a web page of an origin read answers, or `undefined` when it must not.
 *
 * @param origins - those that may; `*` is all
 */
export function corsHeaders(origins: readonly string[]): (origin: string) => Headers | undefined {
  if (origins.includes("*")) return () => ({ "access-control-allow-origin": "*", ...COMMON });
  return (origin) =>
    origins.includes(origin)
      ? { "access-control-allow-origin": origin, vary: "Origin", ...COMMON }
      : undefined;
}
