import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { replaceFile } from "../../../shared/files/replace-file.ts";
import { readEditorFile } from "./editor-file.ts";
import type { JsonEntry } from "./editors.ts";

/** The outcome of a write; `backup` is the copy of the file before it. */
export type EntryOutcome =
  | { readonly outcome: "unchanged" | "created" }
  | { readonly outcome: "changed"; readonly backup: string };

const READABLE = 0o644;

/**
 * Puts one member into a file of JSON with comments. Everything else in it stays, comments included; what the file was
 * before is kept beside it.
 *
 * @throws HostError `config_invalid` when the file is no JSON: it is left alone
 */
export function writeEntry(file: string, { path, value }: JsonEntry): EntryOutcome {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, `${changed("{}", { path, value })}\n`, READABLE);
    return { outcome: "created" };
  }
  const { text } = readEditorFile(file);
  const after = changed(text, { path, value });
  if (after === text) return { outcome: "unchanged" };
  const backup = `${file}.before-agent`;
  copyFileSync(file, backup);
  replaceFile(file, after, statSync(file).mode & 0o777);
  return { outcome: "changed", backup };
}

const changed = (text: string, { path, value }: JsonEntry): string =>
  applyEdits(text, modify(text, [...path], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }));
