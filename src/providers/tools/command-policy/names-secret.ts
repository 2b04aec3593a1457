import { matchGlob, parseGlob } from "../files/glob.ts";
import { isSecret, SECRET_NAMES } from "../workspace/sensitive.ts";

/** Whether a word of a line, whatever it is for, names a file with secrets: what the line prints may hold them. */
export const namesSecret = (line: string): boolean =>
  line
    .replaceAll(/['"\\]/g, "")
    .split(/[\s`=:;,|&<>()${}]+/)
    .some((word) => isSecret(word) || mayFitSecret(word));

/** Names that a pattern may stand for, where it says more than "all names" or "all of a kind". */
const NAMES = SECRET_NAMES.map((name) => name.replaceAll("*", "x"));

function mayFitSecret(word: string): boolean {
  const pattern = word.slice(word.lastIndexOf("/") + 1);
  if (pattern.startsWith("*") || !/[*?[]/.test(pattern)) return false;
  const glob = parseGlob(pattern);
  return NAMES.some((name) => matchGlob(glob, [name]));
}
