import type { HostError } from "../../shared/errors/host-error.ts";
import type { ServerLog, ServerLogRecord } from "../../http/index.ts";
import type { Redactor } from "../../shared/text/redact.ts";
import { logText } from "../../shared/text/log-text.ts";
import type { Io } from "./io.ts";
import { appendLog } from "./log-file.ts";
import { JoinedLines } from "./joined-lines.ts";
import { ServerLogFile } from "./server-log-file.ts";

/** The weights of log records, the lightest first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
/** The forms of log records on stderr. */
export const LOG_FORMATS = ["json", "text"] as const;

/** The way in which a server writes to stderr, and to `server.log`, what happens. */
export interface LogChoice {
  /** `text` on a terminal and `json` elsewhere by default. */
  readonly format?: (typeof LOG_FORMATS)[number];
  /** Lighter records are left out. */
  readonly level: (typeof LOG_LEVELS)[number];
}

/** The log of a process. Everything that goes there is made safe and free of secrets here. */
export interface ProcessLog {
  /** Tells on stderr what happens; a command for people is silent. */
  readonly write: ServerLog;
  /** Tells that a server is there, or why it is not: as a line for people, unless all lines are to be JSON. */
  announce(message: string, as?: Pick<ServerLogRecord, "event" | "level">): void;
  /** Keeps a failure that reaches no caller in `agent.log`; a server tells of it on stderr too. */
  readonly report: (error: HostError) => void;
}

/** The file with the failures of all processes that reach no caller. */
export const FAILURE_LOG = "agent.log";

/** The parts of a log. */
export interface LogOptions {
  /** Holds `agent.log`, and `server.log` with what servers tell. */
  readonly folder: string;
  readonly redactor: () => Redactor;
  /** Absent: the process is a command for people, and tells nothing unless `AGENT_DEBUG=1`. */
  readonly choice?: LogChoice | undefined;
}

/** Opens the log of a process. */
export function openLog(io: Io, { folder, redactor, choice }: LogOptions): ProcessLog {
  const format = choice?.format ?? (io.stderr.isTTY === true && choice !== undefined ? "text" : "json");
  const least = LOG_LEVELS.indexOf(choice?.level ?? "error");
  const isTold = choice !== undefined || io.env["AGENT_DEBUG"] === "1";
  const lines = new JoinedLines(io);
  const print = (text: string, how: "add" | "write"): void => lines[how](`${logText(text)}\n`);
  const toText = (record: ServerLogRecord): string =>
    format === "text" ? inWords(record, redactor()) : asJson(record, redactor());
  const file = choice && new ServerLogFile(io, folder);
  const keep = (record: ServerLogRecord): void => file?.add(asJson({ pid: io.pid, ...record }, redactor()));
  const write: ServerLog = (record) => {
    if (!isTold || LOG_LEVELS.indexOf(record.level ?? "info") < least) return;
    print(toText(record), record.level === "error" ? "write" : "add");
    keep(record);
  };
  return {
    write,
    announce(message, as = { event: "server.ready", level: "info" }) {
      if (choice?.format === "json") print(toText({ ...as, message }), "write");
      else print(`agent: ${message}`, "write");
      keep({ ...as, message });
    },
    report(error) {
      const record = failureRecord(error, io.pid);
      write(record);
      try {
        appendLog(folder, FAILURE_LOG, [asJson(record, redactor())]);
      } catch {
        // A log that cannot be written must not fail what it tells about; a full disk says so elsewhere.
      }
    },
  };
}

function failureRecord({ code, message, stack, cause }: HostError, pid: number): ServerLogRecord {
  const because = cause instanceof Error ? cause.message : undefined;
  return { event: "failure", level: "error", pid, code, message, stack, cause: because };
}

const asJson = (record: ServerLogRecord, redactor: Redactor): string =>
  redactor.hideInJson(JSON.stringify({ at: new Date().toISOString(), ...record }));

/** Words on one line: the message at the end, and of a failure not where in the program it was. */
function inWords(
  { event, level = "info", message, stack: _stack, pid: _pid, ...fields }: ServerLogRecord,
  redactor: Redactor,
): string {
  const words = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${valueInWords(redactor.hide(asText(value)))}`],
  );
  const said = typeof message === "string" ? [redactor.hide(message)] : [];
  return [new Date().toTimeString().slice(0, 8), level, event, ...words, ...said].join(" ");
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Quoted where it would read as several words. */
const valueInWords = (text: string): string => (/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));
