import type { ServerLog, ServerLogRecord } from "../../http/index.ts";
import type { Io } from "./io.ts";

/** The log of a server: lines of JSON on stderr, or words when a person looks at it. */
export function serverLog(io: Io, hide: (text: string) => string): ServerLog {
  const shown = io.stderr.isTTY === true ? inWords : asJson;
  return (record) => void io.stderr.write(hide(`${shown(record)}\n`));
}

const asJson = (record: ServerLogRecord): string =>
  JSON.stringify({ at: new Date().toISOString(), ...record });

function inWords({ event, level: _level, ...fields }: ServerLogRecord): string {
  const words = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`],
  );
  return `${new Date().toTimeString().slice(0, 8)} ${event} ${words.join(" ")}`;
}
