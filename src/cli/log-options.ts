import { LOG_FORMATS, LOG_LEVELS, type LogChoice } from "../app/process/log.ts";
import { defined } from "../shared/json/defined.ts";
import { option, type Values } from "./command.ts";

/** The options by which all servers log. */
export const LOG_OPTIONS = {
  logFormat: option("<format>", "how to write the log on stderr (default: text on a terminal, else json)", {
    choices: LOG_FORMATS,
  }),
  logLevel: option("<level>", "the lightest records to write", {
    choices: LOG_LEVELS,
    otherwise: "info",
  }),
};

/** The values of `LOG_OPTIONS`. */
export type LogFlags = Values<typeof LOG_OPTIONS>;

/** Reads what the options say. */
export const logChoice = ({ logFormat, logLevel }: LogFlags): LogChoice => ({
  level: logLevel,
  ...defined({ format: logFormat }),
});
