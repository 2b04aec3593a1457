/** One line of a server's log; the values are JSON. */
export type ServerLogRecord = Readonly<Record<string, unknown>> & {
  readonly event: string;
  /** `info` by default. */
  readonly level?: "debug" | "info" | "warn" | "error";
};

/** A sink of log lines; it must be quick and not throw. */
export type ServerLog = (record: ServerLogRecord) => void;

/** Gives a path as logs show it: without the query, which may hold secrets. */
export function shownPath(url: string): string {
  const { pathname, search } = new URL(url, "http://localhost");
  return search === "" ? pathname : `${pathname}?…`;
}

/** Gives the log level of an answer: a failure of the server is an error, a mistake of the client a warning. */
export function levelOf(status: number): "error" | "warn" | "info" {
  if (status >= 500) return "error";
  return status >= 400 ? "warn" : "info";
}
