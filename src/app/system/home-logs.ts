import { join } from "node:path";
import type { LogLine, LogPort } from "../../dashboard/index.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import type { Redactor } from "../../shared/text/redact.ts";
import { FAILURE_LOG, LOG_LEVELS } from "../process/log.ts";
import { SERVER_LOG } from "../process/server-log-file.ts";
import { tailLog } from "./log-tail.ts";

const FILES = { servers: SERVER_LOG, failures: FAILURE_LOG } as const;
/** Characters that are shown of a value. */
const LONGEST_VALUE = 4000;

/** The logs of a home, for the dashboard. Secrets that became known after a line was written are hidden here. */
export const homeLogs = (folder: string, redactor: () => Redactor): LogPort => ({
  async read({ log, level, words, ...wish }) {
    const least = LOG_LEVELS.indexOf(level);
    const wanted = words.trim().toLowerCase();
    const { lines, next } = await tailLog(join(folder, FILES[log]), {
      ...wish,
      pick(text) {
        const shown = redactor().hideInJson(text);
        if (!shown.toLowerCase().includes(wanted)) return undefined;
        const line = lineOf(shown);
        return LOG_LEVELS.indexOf(line.level) >= least ? line : undefined;
      },
    });
    return { data: [...lines], next };
  },
});

function lineOf(text: string): LogLine {
  const record = parsed(text);
  if (!isJsonObject(record)) return { level: "info", event: "", message: short(text), fields: {} };
  const { at, level, event, message, ...fields } = record;
  const shown = Object.entries(fields).map(([name, value]) => [name, short(inWords(value))] as const);
  return {
    ...(typeof at === "string" ? { at } : {}),
    level: LOG_LEVELS.find((each) => each === level) ?? "info",
    event: inWords(event),
    message: short(inWords(message)),
    fields: Object.fromEntries(shown),
  };
}

/** A line that was cut off by a full disk is shown as it is. */
function parsed(text: string): unknown {
  try {
    return parseForeignJson(text);
  } catch {
    return undefined;
  }
}

const inWords = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

const short = (text: string): string =>
  text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)} …`;
