import type { Harmless, PathUse } from "./harmless.ts";
import { hasGlob, literalText, startsWithGlob, type Word } from "./words.ts";

/** Options of the commands that show changes; none of them writes, or runs what a repository's settings name. */
const SHOWING =
  "abbrev abbrev-commit after all author before branches cached cc check cherry-mark cherry-pick color color-words " +
  "committer count date decorate diff-algorithm diff-filter dirstat exit-code find-copies find-renames first-parent " +
  "follow format full-history full-index function-context graph grep histogram ignore-all-space ignore-blank-lines " +
  "ignore-cr-at-eol ignore-space-at-eol ignore-space-change invert-grep left-right max-count merge-base merges minimal " +
  "name-only name-status no-abbrev no-color no-decorate no-ext-diff no-merges no-notes no-patch no-prefix no-renames " +
  "no-textconv numstat oneline parents patch patch-with-stat patience pickaxe-all pickaxe-regex pretty quiet raw " +
  "regexp-ignore-case relative relative-date remotes reverse shortstat simplify-merges since skip source sparse staged " +
  "stat stat-width summary tags text topo-order unified until walk-reflogs word-diff word-diff-regex";

interface GitUsage {
  readonly flags?: string;
  readonly valued?: string;
  readonly long?: string;
  /** Long options whose value is the next word. */
  readonly longValued?: string;
  /** Words that are no options: none, as many as there are, or only after one of these options. */
  readonly operands?: "none" | "any" | readonly string[];
  /** One of these has to be the first word. */
  readonly only?: readonly string[];
  /** That word may be left out when there is no other. */
  readonly bare?: boolean;
}

const DIFF: GitUsage = {
  flags: "abBCDiMpqRrstuwWz",
  valued: "UGSlnL",
  long: SHOWING,
  longValued: "max-count since until after before author committer grep date skip",
  operands: "any",
};

const COMMANDS: Readonly<Record<string, GitUsage>> = {
  blame: {
    flags: "bcefklnpstw",
    valued: "LMC",
    long: "date porcelain line-porcelain root show-email",
    operands: "any",
  },
  branch: {
    flags: "ailqrv",
    long:
      "all abbrev color column contains format ignore-case list merged no-abbrev no-color no-column no-contains " +
      "no-merged points-at remotes show-current sort verbose",
    operands: ["--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"],
  },
  "cat-file": { flags: "epst", operands: "any" },
  "count-objects": { flags: "vH", long: "verbose human-readable", operands: "none" },
  describe: {
    long: "abbrev all always candidates contains dirty exact-match exclude long match tags",
    operands: "any",
  },
  diff: DIFF,
  log: DIFF,
  "ls-files": {
    flags: "cdikmostuvz",
    valued: "x",
    long: "cached deleted modified others ignored stage unmerged killed exclude exclude-standard full-name abbrev eol",
    operands: "any",
  },
  "ls-tree": {
    flags: "drtlz",
    long: "long name-only name-status object-only full-name full-tree abbrev",
    operands: "any",
  },
  "merge-base": { flags: "a", long: "all is-ancestor octopus fork-point", operands: "any" },
  reflog: { ...DIFF, only: ["show"], bare: true },
  remote: { flags: "v", long: "verbose", operands: "none" },
  "rev-list": { ...DIFF, long: `${SHOWING} all objects` },
  "rev-parse": {
    flags: "q",
    long:
      "abbrev-ref absolute-git-dir git-common-dir git-dir is-bare-repository is-inside-git-dir is-inside-work-tree " +
      "quiet short show-cdup show-prefix show-toplevel symbolic symbolic-full-name verify",
    operands: "any",
  },
  shortlog: { ...DIFF, flags: "cens" },
  show: DIFF,
  "show-ref": { flags: "dqs", long: "head heads branches tags verify hash abbrev", operands: "any" },
  stash: { ...DIFF, only: ["list", "show"] },
  status: {
    flags: "bsuvz",
    valued: "u",
    long:
      "ahead-behind branch column find-renames ignore-submodules ignored long no-ahead-behind no-renames porcelain " +
      "renames short show-stash untracked-files verbose",
    operands: "any",
  },
  tag: {
    flags: "il",
    valued: "n",
    long: "column contains format ignore-case list merged no-column no-contains no-merged points-at sort",
    operands: ["--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"],
  },
  worktree: { flags: "vz", long: "porcelain verbose", only: ["list"], operands: "any" },
};

/** Git commands that only show; nothing that a setting or an option could make run another program. */
export function classifyGit(args: readonly Word[]): Harmless | undefined {
  const rest = args.map(literalText);
  if (rest[0] === "--no-pager") return classifyGit(args.slice(1));
  const [name, ...texts] = rest;
  const usage = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  // A file's name could become an option.
  if (usage === undefined || args.some((word) => startsWithGlob(word))) return undefined;
  const words = usage.only === undefined ? texts : afterSubcommand(texts, usage);
  if (words === undefined) return undefined;
  const operands = operandsOf(words, usage);
  if (operands === undefined || !mayHaveOperands(operands, words, usage)) return undefined;
  const hasPatterns = args.some((word) => hasGlob(word));
  const paths = operands.map((path): PathUse => ({ path, glob: hasPatterns, writes: false }));
  return { creates: false, paths, usesGit: true };
}

function afterSubcommand(
  texts: readonly (string | undefined)[],
  { only = [], bare = false }: GitUsage,
): readonly (string | undefined)[] | undefined {
  if (texts.length === 0) return bare ? [] : undefined;
  const [first, ...rest] = texts;
  return first !== undefined && only.includes(first) ? rest : undefined;
}

function operandsOf(words: readonly (string | undefined)[], usage: GitUsage): readonly string[] | undefined {
  const operands: string[] = [];
  let optionsOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) return undefined;
    if (optionsOver || !word.startsWith("-")) operands.push(word);
    else if (word === "--") optionsOver = true;
    else {
      const next = readOption(word, usage);
      if (next === undefined) return undefined;
      if (next === "takes the next word") at += 1;
    }
  }
  return operands;
}

function readOption(word: string, usage: GitUsage): "stands alone" | "takes the next word" | undefined {
  // Signatures are checked by another program.
  if (/^--(format|pretty)=.*%G/s.test(word)) return undefined;
  if (word.startsWith("--")) {
    // Exactly, not shortened: git takes `--outp` for `--output`.
    const [name = "", ...value] = word.slice(2).split("=");
    if (usage.long?.split(" ").includes(name) !== true) return undefined;
    const takesNext = value.length === 0 && usage.longValued?.split(" ").includes(name) === true;
    return takesNext ? "takes the next word" : "stands alone";
  }
  if (/^-\d+$/.test(word)) return "stands alone";
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at);
    if (usage.valued?.includes(letter) === true) {
      // These two take their value only from the same word.
      const alone = at < word.length - 1 || letter === "u" || letter === "U";
      return alone ? "stands alone" : "takes the next word";
    }
    if (usage.flags?.includes(letter) !== true) return undefined;
  }
  return "stands alone";
}

function mayHaveOperands(
  operands: readonly string[],
  words: readonly (string | undefined)[],
  { operands: allowed = "none" }: GitUsage,
): boolean {
  if (operands.length === 0 || allowed === "any") return true;
  if (allowed === "none") return false;
  return words.some((word) => allowed.includes(word?.split("=")[0] ?? ""));
}
