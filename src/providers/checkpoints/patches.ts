import type { FilePast } from "../../core/index.ts";
import { type BytePath, type FileState, readablePath } from "./file-state.ts";
import type { ObjectStore } from "./objects.ts";
import { historiesOf, type PathHistory, whyNotKept } from "./plan-restore.ts";
import { changesOf } from "./restorer.ts";
import type { StepLog } from "./steps.ts";

/** The sources of a session's past. */
export interface PastParts {
  readonly steps: StepLog;
  readonly objects: ObjectStore;
  readonly rootOf: (id: number) => BytePath;
}

/** Larger texts are not compared line by line. */
const LARGEST_TEXT = 1024 * 1024;
/** As git looks for NUL bytes. */
const BINARY_HEAD = 8000;
const BOUNDS = { timeout: 500, maxEditLength: 20_000 };

/** The text of a state; `undefined` for what is none, or is not kept. */
export function textOf(state: FileState, objects: ObjectStore): string | undefined {
  if (state.kind === "absent" || state.kind === "directory") return "";
  if (state.kind === "symlink") return `${readablePath(state.target)}\n`;
  if (state.kind !== "file" || state.hash === null || state.size > LARGEST_TEXT) return undefined;
  const bytes = objects.get(state.hash);
  if (bytes === undefined || bytes.subarray(0, BINARY_HEAD).includes(0)) return undefined;
  return Buffer.from(bytes).toString("utf8");
}

/** A unified diff of what happened to a session's files, at most `limit` characters. */
export async function pastDiff(past: FilePast, limit: number, parts: PastParts): Promise<string> {
  const histories = historiesOf(changesOf(parts.steps, past)).filter(
    ({ first, last }) => first.kind !== "directory" && last.kind !== "directory",
  );
  let text = "";
  for (const history of histories.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    text += await fileDiff(history, parts);
    if (text.length > limit) return `${text.slice(0, limit).toWellFormed()}\n[more is left out]\n`;
  }
  return text;
}

async function fileDiff(history: PathHistory, { objects }: PastParts): Promise<string> {
  const { first, last, path } = history;
  const name = readablePath(path);
  const modes = modeLines(first, last);
  const [before, after] = [textOf(first, objects), textOf(last, objects)];
  if (before === undefined || after === undefined) {
    const why = whyNotKept(first) ?? whyNotKept(last);
    return `diff ${name}\n${modes}${why === undefined ? `Binary file ${name} differs` : `${name} differs; not kept: ${why}`}\n`;
  }
  if (before === after) return modes === "" ? "" : `diff ${name}\n${modes}`;
  const { createTwoFilesPatch } = await import("diff");
  const names = [
    first.kind === "absent" ? "/dev/null" : `a/${name}`,
    last.kind === "absent" ? "/dev/null" : `b/${name}`,
  ];
  const patch = createTwoFilesPatch(names[0] ?? "", names[1] ?? "", before, after, "", "", BOUNDS);
  if (patch === undefined) return `diff ${name}\n${name} differs in too many lines to show\n`;
  return modes + patch.replace(/^=+\n/, "").replaceAll(/^(---|\+\+\+) (.*?)\t?$/gm, "$1 $2");
}

function modeLines(first: FileState, last: FileState): string {
  if (first.kind !== "file" || last.kind !== "file" || first.mode === last.mode) return "";
  return `old mode ${first.mode.toString(8)}\nnew mode ${last.mode.toString(8)}\n`;
}

/** Lines that were added and removed; none for what is no text. */
export async function countLines(
  before: string,
  after: string,
): Promise<{ readonly added: number; readonly removed: number }> {
  const { diffLines } = await import("diff");
  const parts = diffLines(before, after, BOUNDS);
  if (parts === undefined) return { added: linesOf(after), removed: linesOf(before) };
  const sum = (chosen: (part: { readonly added: boolean; readonly removed: boolean }) => boolean): number =>
    parts.filter(chosen).reduce((total, { count }) => total + count, 0);
  return { added: sum(({ added }) => added), removed: sum(({ removed }) => removed) };
}

const linesOf = (text: string): number =>
  text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
