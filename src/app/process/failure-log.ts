import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { HostError } from "../../shared/errors/host-error.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { serverLog } from "./server-log.ts";
import type { Io } from "./io.ts";

/** A log that has grown to this is put aside; one older one is kept. */
const LARGEST_LOG = 5_000_000;

interface FailureLogOptions {
  readonly folder: string;
  readonly hide: (text: string) => string;
  /** Each failure is told on stderr too, without its stack. */
  readonly shown: boolean;
}

/** Logs failures that reach no caller: one line of JSON each, in `logs/`; with `AGENT_DEBUG=1` also on stderr. */
export function failureLog(io: Io, { folder, hide, shown }: FailureLogOptions): (error: HostError) => void {
  const show = serverLog(io, hide);
  return (error) => {
    const { code, message, stack, cause } = error;
    const record = {
      at: new Date().toISOString(),
      level: "error",
      pid: io.pid,
      code,
      message,
      stack,
      cause: cause instanceof Error ? cause.message : undefined,
    };
    const line = hide(`${JSON.stringify(record)}\n`);
    if (io.env["AGENT_DEBUG"] === "1") io.stderr.write(line);
    else if (shown) show({ event: "failure", level: "error", code, message, cause: record.cause });
    try {
      appendLog(folder, { name: "agent.log", line });
    } catch {
      // A log that cannot be written must not fail what it tells about; a full disk says so elsewhere.
    }
  };
}

/** Adds a line to a log, which is put aside when it has grown large. @throws Error when it cannot be written */
export function appendLog(
  folder: string,
  { name, line }: { readonly name: string; readonly line: string },
): void {
  const file = join(folder, name);
  makeFolder(folder);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG) renameSync(file, `${file}.old`);
  appendFileSync(file, line, { mode: 0o600 });
}
