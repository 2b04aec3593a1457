import type { Harmless, PathUse } from "./harmless.ts";
import { hasGlob, literalText, startsWithGlob, type Word } from "./words.ts";

const ALONE = new Set(
  (
    "-print -print0 -ls -true -false -quit -prune -empty -readable -writable -executable -depth -mount -xdev -daystart " +
    "-nouser -nogroup -noleaf -not -and -or -a -o ! ( ) , -P"
  ).split(" "),
);

const WITH_TEXT = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size " +
    "-mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -printf -fstype -used"
  ).split(" "),
);

const WITH_PATH = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);

/** `find` with tests only: no action but to print, and no link followed. */
export function classifyFind(args: readonly Word[]): Harmless | undefined {
  const paths: PathUse[] = [];
  let inTests = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    const text = word && literalText(word);
    // The name of a file could be an action.
    if (word === undefined || text === undefined || startsWithGlob(word)) return undefined;
    if (ALONE.has(text)) inTests ||= text !== "-P";
    else if (WITH_TEXT.has(text)) {
      inTests = true;
      at += 1;
      if (isUnsafeValue(args[at])) return undefined;
    } else if (WITH_PATH.has(text)) {
      inTests = true;
      at += 1;
      const path = args[at] && literalText(args[at] ?? EMPTY);
      if (path === undefined) return undefined;
      paths.push({ path, glob: false, writes: false });
    } else if (text.startsWith("-") || inTests) return undefined;
    else paths.push({ path: text, glob: hasGlob(word), writes: false });
  }
  return { creates: false, paths };
}

const EMPTY: Word = { source: "", pieces: [] };

function isUnsafeValue(word: Word | undefined): boolean {
  const text = word && literalText(word);
  if (word === undefined || text === undefined) return true;
  return startsWithGlob(word) || (text.startsWith("-") && hasGlob(word));
}
