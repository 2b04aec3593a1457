/** One line of a server's log; the values are JSON. */
export type ServerLogRecord = Readonly<Record<string, unknown>> & { readonly event: string };

/** Where a server's log goes; it must be quick and not throw. */
export type ServerLog = (record: ServerLogRecord) => void;

/** A path as logs show it: what a query may hold is nobody's business. */
export function shownPath(url: string): string {
  const { pathname, search } = new URL(url, "http://localhost");
  return search === "" ? pathname : `${pathname}?…`;
}

/** How loud an answer is: what failed here is an error, what the client did wrong a warning. */
export function levelOf(status: number): "error" | "warn" | "info" {
  if (status >= 500) return "error";
  return status >= 400 ? "warn" : "info";
}
