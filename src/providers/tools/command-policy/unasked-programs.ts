import { SECRET_FOLDERS, SECRET_NAMES } from "../workspace/sensitive.ts";

/** The kinds of words beside a program's options. `names` are plain words that lead nowhere outside. */
type Operands = "none" | "text" | "names" | "refs" | "paths" | "pattern" | "format" | "find" | "sed";

/**
 * A program that may run unasked, with exactly these options.
 *
 * `options` lists them: `-abc` are letters, a letter before a colon takes a value (`-ab:c`), `-#` is a number (`-20`), `--name`
 * stands alone, `--name=` may have a value behind `=`, `--name:` takes one there or as the next word.
 */
export interface UnaskedProgram {
  readonly options: string;
  readonly operands: Operands;
  /** Operands, patterns of names counted as what they stand for. */
  readonly most?: number;
  /** Its operands are no folders: it would read files in them that nobody named. */
  readonly filesOnly?: boolean;
  /** Letters and names of options with which it reads the contents of whole folders. */
  readonly deep?: RegExp;
  /** Options that keep it from files with secrets when it reads whole folders. They come last, so that they count. */
  readonly hides?: readonly string[];
}

/** A pattern of names for any case of its letters. */
const inAnyCase = (name: string): string =>
  name.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/**
 * All programs that may run unasked where there is no sandbox.
 *
 * Each was checked in the manuals of GNU coreutils 9.1, findutils 4.9, grep 3.8, diffutils 3.8, sed 4.9, ripgrep 15,
 * tree 2.1 and in those of macOS 14: with these options it writes no file, starts no program, loads no code, and follows
 * no link that it was not given. The comment behind a program says what was left out and why.
 */
export const UNASKED_PROGRAMS: Readonly<Record<string, UnaskedProgram>> = {
  basename: { options: "-a -s:", operands: "text" },
  // Not -: with files only, so that it never waits.
  cat: { options: "-AbeEnstTuv --number --show-all", operands: "paths" },
  // Not --output.
  cmp: { options: "-bls --bytes:", operands: "paths" },
  cut: { options: "-b:c:d:f: -sz --complement --output-delimiter=", operands: "paths" },
  // Not -s and no time, which set the clock; not -f.
  date: { options: "-uR -I --utc --iso-8601=", operands: "format" },
  df: { options: "-ahHiklmPT --human-readable", operands: "paths" },
  // Not -l, which starts pr; not -r, nor folders without it, since it reads the files of equal names in both.
  diff: {
    options: "-abBcdiNqstuwyE -U:C:W: --brief --unified= --side-by-side --ignore-all-space --color=",
    operands: "paths",
    filesOnly: true,
  },
  dirname: { options: "-z", operands: "text" },
  // Not -L: it would leave the workspace.
  du: { options: "-abchHkmsSx -d: --max-depth= --human-readable --summarize", operands: "paths" },
  // The program, not the shell's word.
  echo: { options: "-enE", operands: "text" },
  false: { options: "", operands: "none" },
  // Its expressions are read in `find-words`.
  find: { options: "", operands: "find" },
  // Not -f, -R (follows links), -P's (?{}) does not exist in it.
  grep: {
    options:
      "-acEFGhHiIlLnoqrsvwxzP -A:B:C:e:m: --color= --count --exclude= --exclude-dir= --extended-regexp --files-with-matches " +
      "--files-without-match --fixed-strings --ignore-case --include= --invert-match --line-number --line-regexp --max-count= " +
      "--no-filename --only-matching --perl-regexp --quiet --recursive --with-filename --word-regexp --context= " +
      "--after-context= --before-context=",
    operands: "pattern",
    deep: /(^| )(-[^- ]*r|--recursive)/,
    hides: [
      ...SECRET_NAMES.map((name) => `--exclude=${inAnyCase(name)}`),
      ...SECRET_FOLDERS.map((name) => `--exclude-dir=${inAnyCase(name)}`),
    ],
  },
  head: { options: "-qv -n:c: -# --lines= --bytes=", operands: "paths" },
  id: { options: "-gGnru", operands: "none" },
  ls: {
    options:
      "-1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ -I:w: --all --almost-all --color= --group-directories-first --human-readable " +
      "--recursive --reverse --size --sort= --time= --time-style=",
    operands: "paths",
  },
  nl: { options: "-p -b:s:v:w:", operands: "paths" },
  // The program, not the shell's word, whose -v and %n set variables.
  printf: { options: "", operands: "text" },
  pwd: { options: "-LP", operands: "none" },
  readlink: { options: "-efmn", operands: "paths" },
  realpath: { options: "-emsLP", operands: "paths" },
  // Not --pre, --hostname-bin, -z, -f, -L, --ignore-file. Its configuration file comes by a variable, which is not there.
  rg: {
    options:
      "-acFHhiIlNnopPqsSUuvVwx0. -A:B:C:e:g:j:M:m:r:t:T:d: --after-context: --before-context: --color= --context: --count " +
      "--count-matches --files --files-with-matches --files-without-match --fixed-strings --glob: --heading --hidden " +
      "--iglob: --ignore-case --invert-match --json --line-number --max-count: --max-depth: --max-columns= --multiline " +
      "--no-filename --no-heading --no-ignore --no-line-number --only-matching --pcre2 --quiet --regexp: --replace: " +
      "--smart-case --sort: --sortr: --stats --trim --type: --type-not: --type-list --vimgrep --with-filename " +
      "--word-regexp",
    operands: "pattern",
    deep: /^/,
    hides: [...SECRET_NAMES, ...SECRET_FOLDERS].map((name) => `--iglob=!${name}`),
  },
  // Only `sed -n` with lines to print: other scripts write files and run commands.
  sed: { options: "", operands: "sed" },
  // Not -o, -T, --compress-program, --files0-from.
  sort: {
    options:
      "-bdfghiMnrRuVcz -k:t: --key= --numeric-sort --reverse --unique --human-numeric-sort --version-sort",
    operands: "paths",
  },
  // Not -f, which has a value in one system and none in the other.
  stat: { options: "-Lt -c: --format= --printf=", operands: "paths" },
  // Not -f, which never ends.
  tail: { options: "-qv -n:c: -# --lines= --bytes=", operands: "paths" },
  tr: { options: "-cCdst --complement --delete --squeeze-repeats", operands: "text", most: 2 },
  // Not -o, -R (writes files with -H), -l, --fromfile.
  tree: {
    options: "-adfghipsDFCAnrtv -L:I:P: --dirsfirst --noreport --gitignore --prune",
    operands: "paths",
  },
  true: { options: "", operands: "none" },
  uname: { options: "-amnoprsv", operands: "none" },
  // One operand only: it writes to the second.
  uniq: { options: "-cdDiuz -f:s:w: --count --repeated --unique --ignore-case", operands: "paths", most: 1 },
  wc: { options: "-clLmw --lines --words --chars --bytes", operands: "paths" },
  which: { options: "-a", operands: "text" },
  whoami: { options: "", operands: "none" },
};

/** The subcommands of git that may run unasked, on a copy of the repository's settings that is ours. */
export const UNASKED_GIT: Readonly<Record<string, UnaskedProgram>> = {
  // Without operands: a name would make a branch.
  branch: {
    options: "-alrv --all --list --no-color --remotes --show-current --verbose --sort= --format=",
    operands: "none",
  },
  // Not --output, --ext-diff, --textconv, --no-index, --submodule.
  diff: {
    options:
      "-abBCDMpRuwz -U:G:S:l: --abbrev= --cached --check --color= --color-words --diff-filter= --dirstat --exit-code " +
      "--find-renames --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-space-change --merge-base " +
      "--minimal --name-only --name-status --no-color --no-renames --numstat --patch --patience --quiet --raw --relative " +
      "--shortstat --staged --stat --stat= --summary --unified= --word-diff",
    operands: "paths",
  },
  // Not --show-signature, which starts gpg, nor the formats that do; not -L, which takes a path.
  log: {
    options:
      "-abiEFMpPuwz -# -n:G:S:U: --abbrev-commit --after= --all --all-match --author= --before= --branches --cherry-pick " +
      "--color= --committer= --date= --decorate --decorate= --diff-filter= --find-renames --first-parent --follow --format= --graph " +
      "--grep= --left-right --max-count= --merges --name-only --name-status --no-color --no-decorate --no-merges --no-patch " +
      "--numstat --oneline --patch --pretty= --raw --reverse --shortstat --since= --skip= --stat --stat= --summary --tags --until= " +
      "--word-diff",
    operands: "paths",
  },
  "ls-files": {
    options: "-cdmoszt --cached --deleted --modified --others --exclude-standard",
    operands: "paths",
  },
  "rev-parse": {
    options: "-q --abbrev-ref --is-inside-work-tree --short --short= --show-prefix --show-toplevel --verify",
    operands: "paths",
  },
  show: {
    options:
      "-abMpuwzs -U: --abbrev-commit --color= --date= --decorate --diff-filter= --format= --name-only --name-status --no-color " +
      "--no-patch --numstat --oneline --patch --pretty= --raw --shortstat --stat --stat= --summary --word-diff",
    operands: "paths",
  },
  // Not -v, which shows contents.
  status: {
    options:
      "-bsuz --branch --ignored --long --no-renames --porcelain --porcelain= --short --show-stash --untracked-files=",
    operands: "paths",
  },
};
