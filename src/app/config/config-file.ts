import { statSync } from "node:fs";
import type { Document } from "yaml";
import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { systemReason } from "./home.ts";
import { underHomeLock } from "./home-lock.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { readText } from "./read-text.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Reads `config.yaml`; an absent or empty file has no values.
 *
 * @throws HostError `config_invalid` when it cannot be read or is no YAML mapping, with line and column
 */
export async function readConfigFile(path: string): Promise<Values> {
  const text = textOf(path);
  if (text === undefined || text.trim() === "") return {};
  const values = readPlainYaml(text) ?? valuesOf(parse(await loadYaml(), path, text), path);
  if (values === null) return {};
  if (!isJsonObject(values)) {
    throw new HostError(
      "config_invalid",
      `${path} must hold keys and values, such as \`approvals:\`, not ${Array.isArray(values) ? "a list" : `a ${typeof values}`}.`,
    );
  }
  return present(values);
}

/** The text of the file. @throws HostError `config_invalid`, also for a pipe: to read one is to wait for somebody who writes */
function textOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return readText(path);
  throw new HostError(
    "config_invalid",
    `${path} is no file, but ${found.isFIFO() ? "a pipe" : "a device or a socket"}. Put a file there, or remove it: without one, the defaults count.`,
  );
}

/** A key with nothing under it, such as a block whose settings are all comments, is as good as absent. */
function present(values: Values): Values {
  const blocks = Object.entries(values).map(([key, value]) => [
    key,
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).filter(notNull)) : value,
  ]);
  return Object.fromEntries(blocks.filter(notNull));
}

const notNull = ([, value]: readonly unknown[]): boolean => value !== null;

/**
 * Sets values and keeps everything else, comments included.
 *
 * @param check - looks at the values before they are written; what it throws leaves the file as it is
 * @throws HostError `config_invalid` when the file cannot be read, or not be written
 */
export async function changeConfigFile(
  path: string,
  changes: ConfigChanges,
  check: Check = () => undefined,
): Promise<void> {
  const yaml = await loadYaml();
  const change = (document: Document): void => {
    for (const [keys, value] of changes) {
      writable(yaml, document, keys);
      if (value === undefined) document.deleteIn(keys);
      else document.setIn(keys, value);
    }
  };
  await underHomeLock(path, () => rewrite(yaml, path, { change, check }));
}

/**
 * Adds to a list what is not in it yet, by the file as it is now: other processes add to it too.
 *
 * @throws HostError `config_invalid` when the file cannot be read, or not be written
 */
export async function addToConfigList(
  path: string,
  keys: readonly string[],
  entries: readonly string[],
): Promise<void> {
  const yaml = await loadYaml();
  const change = (document: Document): void => {
    const list = document.getIn(writable(yaml, document, keys));
    if (!yaml.isSeq(list)) return document.setIn(keys, entries);
    const known: unknown = list.toJS(document);
    for (const entry of entries) if (!(Array.isArray(known) && known.includes(entry))) list.add(entry);
  };
  await underHomeLock(path, () => rewrite(yaml, path, { change, check: () => undefined }));
}

/** Pairs of a path of keys and its new value; `undefined` removes the key. */
export type ConfigChanges = readonly (readonly [keys: readonly string[], value: unknown])[];

type Check = (values: Values) => void;
type Yaml = Awaited<ReturnType<typeof loadYaml>>;

/** Loaded when it is needed: many homes have no configuration, or a plain one. */
const loadYaml = () => import("yaml");

/** Reads, changes and replaces the file in one go. */
function rewrite(
  yaml: Yaml,
  path: string,
  { change, check }: { readonly change: (document: Document) => void; readonly check: Check },
): void {
  const document = parse(yaml, path, textOf(path) ?? "");
  try {
    change(document);
    const values = valuesOf(document, path);
    check(isJsonObject(values) ? present(values) : {});
    replaceFile(path, document.toString({ lineWidth: 0 }), 0o600);
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    throw new HostError("config_invalid", `Cannot change ${path}: ${systemReason(cause)}.`, { cause });
  }
}

/** Makes a block of each key on the way that has nothing under it, such as one whose settings are all comments. */
function writable(yaml: Yaml, document: Document, keys: readonly string[]): readonly string[] {
  for (let length = 1; length < keys.length; length += 1) {
    const above = keys.slice(0, length);
    const node = document.getIn(above, true);
    if (!yaml.isScalar(node) || node.value !== null) continue;
    const block = new yaml.YAMLMap();
    const { comment } = node;
    if (typeof comment === "string") block.comment = comment;
    document.setIn(above, block);
  }
  return keys;
}

/** @throws HostError `config_invalid` when aliases would make more of it than any configuration is */
function valuesOf(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new HostError(
      "config_invalid",
      `${path} cannot be used: an alias (\`*name\`) names nothing, or aliases are used too often. Write the values out.`,
      { cause },
    );
  }
}

function parse(yaml: Yaml, path: string, text: string): Document {
  const document = yaml.parseDocument(text);
  const [error] = document.errors;
  if (error === undefined) {
    refuseCycles(yaml, document, { path, text });
    return document;
  }
  const { line, col } = error.linePos?.[0] ?? { line: 0, col: 0 };
  const [first = "it cannot be parsed"] = error.message.split("\n");
  const problem =
    error.code === "MULTIPLE_DOCS"
      ? "`---` begins a second document; there must be one"
      : first.replace(/ at line.*$/, "");
  throw new HostError(
    "config_invalid",
    `${path} is no valid YAML: ${problem}, at line ${line}, column ${col}.`,
  );
}

/** @throws HostError `config_invalid` for an alias inside of what it names: such values have no end */
function refuseCycles(
  { visit }: Yaml,
  document: Document,
  { path, text }: Readonly<Record<"path" | "text", string>>,
): void {
  visit(document, {
    Alias: (_key, alias, above) => {
      const named = alias.resolve(document);
      if (named === undefined || !above.some((node) => node === named)) return;
      const line = text.slice(0, alias.range?.[0] ?? 0).split("\n").length;
      throw new HostError(
        "config_invalid",
        `${path} cannot be used: the alias \`*${alias.source}\` at line ${line} stands in what it names. Write there what is meant, or take it out.`,
      );
    },
  });
}
