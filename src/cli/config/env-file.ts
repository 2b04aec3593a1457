import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { HostError } from "../../core/index.ts";
import { isAbsent, reason } from "./home.ts";

/**
 * Reads `.env`; an absent file is an empty one.
 *
 * @throws HostError `config_invalid` when it cannot be read
 */
export function readEnvFile(path: string): Readonly<Record<string, string>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (isAbsent(cause)) return {};
    throw new HostError("config_invalid", `Cannot read ${path}: ${reason(cause)}.`, { cause });
  }
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) values[name] = value;
  return values;
}
