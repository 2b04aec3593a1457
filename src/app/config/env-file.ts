import { chmodSync } from "node:fs";
import { parseEnv } from "node:util";
import { HostError } from "../../shared/errors/host-error.ts";
import { underHomeLock } from "./home-lock.ts";
import { readText } from "./read-text.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";

/** Reads `.env`; an absent file is an empty one. @throws HostError `config_invalid` when it cannot be read */
export function readEnvFile(path: string): Readonly<Record<string, string>> {
  const text = readText(path) ?? "";
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) values[name] = value;
  return values;
}

/** Sets one variable in `.env` and leaves all other lines as they are. The file is for its owner only. */
export async function setEnvValue(path: string, name: string, value: string): Promise<void> {
  const line = `${name}=${quoted(name, value)}`;
  await underHomeLock(path, () => setLine(path, name, line));
}

function setLine(path: string, name: string, line: string): void {
  const lines = existingLines(path);
  const assigns = new RegExp(`^\\s*(export\\s+)?${RegExp.escape(name)}\\s*=`);
  const at = lines.findLastIndex((each) => assigns.test(each));
  if (at === -1) lines.push(line);
  else lines[at] = line;
  replaceFile(path, `${lines.join("\n")}\n`, 0o600);
  chmodSync(path, 0o600);
}

function existingLines(path: string): string[] {
  const text = readText(path)?.replace(/\n$/, "") ?? "";
  return text === "" ? [] : text.split("\n");
}

/** @throws HostError `config_invalid` for a value that no quotes hold */
function quoted(name: string, value: string): string {
  if (/^[\w./:@%+=,-]*$/.test(value)) return value;
  const quote = ["'", '"', "`"].find((mark) => !value.includes(mark));
  if (quote !== undefined && !/[\r\n]/.test(value)) return `${quote}${value}${quote}`;
  throw new HostError(
    "config_invalid",
    `The value for ${name} cannot be written into .env: it has line breaks or all kinds of quotes.`,
  );
}
