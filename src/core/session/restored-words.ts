import { counted } from "../../shared/text/counted.ts";
import { namedFiles } from "../../shared/text/named-files.ts";
import type { RestoredFiles } from "../ports/checkpoints.ts";

/**
 * What became of files that were to go back, in a line: which were restored, which were removed, and which stay changed.
 *
 * @param options.cwd - paths below it are named from there
 * @param options.withOthers - says also which files stay as they are
 */
export function restoredSentences(
  { restored, removed, conflicts, failed }: RestoredFiles,
  { cwd, withOthers }: { readonly cwd: string; readonly withOthers: boolean },
): string {
  const gone = new Set(removed);
  const back = restored.filter((path) => !gone.has(path));
  const stay = withOthers ? [...conflicts, ...failed].map(({ path }) => path) : [];
  return [
    ...(back.length === 0 ? [] : [`Restored ${counted(back.length, "file")}: ${namedFiles(back, cwd)}.`]),
    ...(gone.size === 0 ? [] : [`Removed ${counted(gone.size, "file")}: ${namedFiles(removed, cwd)}.`]),
    ...(stay.length === 0 ? [] : [`Left changed: ${namedFiles(stay, cwd)}.`]),
  ].join(" ");
}
