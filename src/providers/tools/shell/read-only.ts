/** The form of the arguments of a command that only reads. An option that is not listed here is not harmless. */
export interface ReadOnlyUsage {
  /** Letters of short options without a value. */
  readonly flags?: string;
  /** Letters of short options with a value, which is no path. */
  readonly valued?: string;
  /** Long options; a value behind `=` is no path. */
  readonly long?: string;
  /** Long options whose value is the next word. */
  readonly longValued?: string;
  /** What the other words are. `pattern`: a text first, then paths. */
  readonly operands: "paths" | "text" | "pattern" | "none";
  readonly mostOperands?: number;
  /** `-20` is an option. */
  readonly numbers?: boolean;
  /** Some option that is not listed writes or runs something: no file's name may become one. */
  readonly hasDangerousOptions?: boolean;
  /** Directories among its operands would be read through links. */
  readonly filesOnly?: boolean;
  /** It makes things, but nothing that could not be undone. */
  readonly creates?: boolean;
}

const PATHS: ReadOnlyUsage = { operands: "paths" };
const TEXT: ReadOnlyUsage = { operands: "text" };
const GREP: ReadOnlyUsage = {
  flags: "abcEFGHhiIlLnoPqrsTvVwxyZz",
  valued: "ABCmdD",
  long:
    "ignore-case no-ignore-case invert-match word-regexp line-regexp count color colour files-with-matches " +
    "files-without-match max-count only-matching quiet silent no-messages with-filename no-filename line-number " +
    "null after-context before-context context text binary-files exclude exclude-dir include recursive " +
    "extended-regexp fixed-strings basic-regexp perl-regexp initial-tab byte-offset version",
  operands: "pattern",
};
const SUM: ReadOnlyUsage = {
  flags: "btz",
  long: "binary text tag zero",
  operands: "paths",
};

/** Commands that cannot write, run another program, or reach the network when used as described. */
export const READ_ONLY: Readonly<Record<string, ReadOnlyUsage>> = {
  ":": TEXT,
  "[": PATHS,
  arch: { operands: "none" },
  b2sum: SUM,
  base64: {
    flags: "dDi",
    valued: "w",
    long: "decode ignore-garbage wrap",
    operands: "paths",
    mostOperands: 1,
  },
  basename: { flags: "az", valued: "s", long: "multiple suffix zero", operands: "text" },
  cat: {
    flags: "AbeEnstTuv",
    long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    operands: "paths",
  },
  cksum: SUM,
  cmp: {
    flags: "bls",
    valued: "ni",
    long: "print-bytes verbose quiet silent bytes ignore-initial",
    operands: "paths",
  },
  column: {
    flags: "tenxJ",
    valued: "csoN",
    long: "table separator output-separator json",
    operands: "paths",
  },
  comm: { flags: "123z", long: "check-order nocheck-order output-delimiter total", operands: "paths" },
  cut: {
    flags: "nsz",
    valued: "bcdf",
    long: "bytes characters delimiter fields complement only-delimited output-delimiter",
    operands: "paths",
  },
  date: {
    flags: "uR",
    valued: "d",
    long: "utc universal iso-8601 rfc-3339 rfc-email date",
    operands: "none",
  },
  df: { flags: "ahHiklmPT", long: "human-readable inodes local print-type all", operands: "paths" },
  diff: {
    flags: "abBcdeEiNnpqstTuwyZ",
    valued: "UCIW",
    long:
      "unified brief ignore-all-space ignore-space-change ignore-blank-lines ignore-case ignore-trailing-space " +
      "color side-by-side width minimal report-identical-files suppress-common-lines new-file text context normal",
    operands: "paths",
    filesOnly: true,
  },
  dirname: { flags: "z", operands: "text" },
  du: {
    flags: "abchHklmsSx0",
    valued: "dBt",
    long: "max-depth summarize human-readable apparent-size exclude total all bytes si one-file-system threshold",
    operands: "paths",
  },
  echo: TEXT,
  egrep: GREP,
  expand: { valued: "t", flags: "i", long: "tabs initial", operands: "paths" },
  false: { operands: "none" },
  fgrep: GREP,
  file: {
    flags: "bhikNn",
    long: "brief mime mime-type mime-encoding keep-going no-dereference",
    operands: "paths",
    hasDangerousOptions: true,
  },
  fold: { flags: "bs", valued: "w", long: "width spaces bytes", operands: "paths" },
  free: { flags: "bghkmtw", long: "human mega giga kilo total wide", operands: "none" },
  grep: GREP,
  head: { flags: "qvz", valued: "nc", long: "lines bytes quiet verbose", operands: "paths", numbers: true },
  hexdump: { flags: "bcCdovx", valued: "ns", operands: "paths" },
  hostname: { flags: "fsidI", operands: "none" },
  id: { flags: "gGnruz", long: "user group groups name real", operands: "text" },
  join: { flags: "i", valued: "12aevojt", operands: "paths" },
  ls: {
    flags: "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ",
    valued: "Iw",
    long:
      "all almost-all author escape ignore-backups color directory classify file-type format full-time " +
      "group-directories-first no-group human-readable si hide indicator-style inode ignore kibibytes literal " +
      "numeric-uid-gid quote-name quoting-style reverse recursive size sort time time-style width zero",
    operands: "paths",
  },
  md5sum: SUM,
  mkdir: { flags: "pv", long: "parents verbose", operands: "paths", creates: true },
  nl: { flags: "p", valued: "bdfhilnsvw", operands: "paths" },
  nproc: { long: "all ignore", operands: "none" },
  od: { flags: "abcdfhilosvx", valued: "AjNStw", operands: "paths" },
  paste: { flags: "sz", valued: "d", long: "delimiters serial", operands: "paths" },
  pwd: { flags: "LP", operands: "none" },
  readlink: {
    flags: "efmnqsvz",
    long: "canonicalize canonicalize-existing no-newline quiet",
    operands: "paths",
  },
  realpath: { flags: "emLPqsz", long: "canonicalize-existing quiet strip zero", operands: "paths" },
  rev: PATHS,
  rg: {
    flags: "abcFHhiIlnNopPqsSuUvVwx0.",
    valued: "ABCegtTmMjrdE",
    long:
      "after-context before-context context case-sensitive color colors column count count-matches crlf " +
      "debug encoding engine files files-with-matches files-without-match fixed-strings glob glob-case-insensitive " +
      "heading hidden iglob ignore-case invert-match json line-number line-regexp max-columns max-columns-preview " +
      "max-count max-depth max-filesize multiline multiline-dotall no-column no-config no-filename no-heading " +
      "no-hidden no-ignore no-ignore-vcs no-line-number no-messages null null-data one-file-system only-matching " +
      "passthru pcre2 pretty quiet regexp replace smart-case sort sortr stats text threads trim type type-list " +
      "type-not unrestricted version vimgrep with-filename word-regexp",
    longValued:
      "after-context before-context context glob iglob type type-not max-count max-depth regexp replace sort sortr",
    operands: "pattern",
    hasDangerousOptions: true,
  },
  seq: { flags: "w", valued: "fs", operands: "text" },
  sha1sum: SUM,
  sha256sum: SUM,
  sha512sum: SUM,
  sleep: TEXT,
  sort: {
    flags: "bdfghiMnRrVuczms",
    valued: "kt",
    long:
      "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort numeric-sort " +
      "random-sort reverse version-sort unique check stable key field-separator zero-terminated",
    operands: "paths",
    hasDangerousOptions: true,
  },
  stat: { flags: "t", valued: "c", long: "format printf terse", operands: "paths" },
  tac: { flags: "br", valued: "s", operands: "paths" },
  tail: { flags: "qvz", valued: "nc", long: "lines bytes quiet verbose", operands: "paths", numbers: true },
  test: PATHS,
  touch: { flags: "acm", operands: "paths", creates: true },
  tr: { flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1", operands: "text" },
  tree: {
    flags: "adfgpshuDFirtcUvQqNnJXA",
    valued: "LIP",
    long: "dirsfirst noreport gitignore prune filelimit du si sort charset matchdirs ignore-case",
    operands: "paths",
    hasDangerousOptions: true,
  },
  true: TEXT,
  type: { flags: "apPtf", operands: "text" },
  uname: { flags: "aimnoprsv", long: "all kernel-name machine operating-system", operands: "none" },
  uniq: {
    flags: "cdDiuz",
    valued: "fsw",
    long: "count repeated all-repeated skip-fields ignore-case skip-chars unique check-chars",
    operands: "paths",
    mostOperands: 1,
  },
  uptime: { flags: "ps", operands: "none" },
  wc: { flags: "clLmw", long: "bytes chars lines max-line-length words total", operands: "paths" },
  which: { flags: "as", operands: "text" },
  whoami: { operands: "none" },
};
