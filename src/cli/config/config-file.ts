import { readFileSync } from "node:fs";
import type { Document } from "yaml";
import { HostError, isJsonObject } from "../../core/index.ts";
import { isAbsent, reason } from "./home.ts";
import { replaceFile } from "./replace-file.ts";

/** A `config.yaml` as it was read: its values, and whether there is a file at all. */
export interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Reads `config.yaml`; an absent or empty file has no values.
 *
 * @throws HostError `config_invalid` when it cannot be read or is no YAML mapping, with line and column
 */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const text = readText(path);
  if (text === undefined || text.trim() === "") return { path, values: {} };
  const document = await parse(path, text);
  const values: unknown = document.toJS({ maxAliasCount: 100 });
  if (values === null) return { path, values: {} };
  if (!isJsonObject(values)) {
    throw new HostError(
      "config_invalid",
      `${path} must hold keys and values, such as \`approvals:\`, not ${typeof values}.`,
    );
  }
  return { path, values };
}

/**
 * Sets values and keeps everything else, comments included. `undefined` removes a key.
 *
 * @param changes - pairs of a path of keys and its new value
 * @param check - looks at the values before they are written; what it throws leaves the file as it is
 */
export async function changeConfigFile(
  path: string,
  changes: readonly (readonly [keys: readonly string[], value: unknown])[],
  check: (values: Readonly<Record<string, unknown>>) => void = () => undefined,
): Promise<void> {
  const document = await parse(path, readText(path) ?? "");
  for (const [keys, value] of changes) {
    if (value === undefined) document.deleteIn(keys);
    else document.setIn(keys, value);
  }
  const values: unknown = document.toJS({ maxAliasCount: 100 });
  check(isJsonObject(values) ? values : {});
  replaceFile(path, document.toString({ lineWidth: 0 }), 0o600);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw new HostError("config_invalid", `Cannot read ${path}: ${reason(cause)}.`, { cause });
  }
}

async function parse(path: string, text: string): Promise<Document> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error === undefined) return document;
  const { line, col } = error.linePos?.[0] ?? { line: 0, col: 0 };
  const [problem = "it cannot be parsed"] = error.message.split("\n");
  throw new HostError(
    "config_invalid",
    `${path} is no valid YAML: ${problem.replace(/ at line.*$/, "")}, at line ${line}, column ${col}.`,
  );
}
