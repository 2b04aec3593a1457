/** A command that another command runs: as words, or as a text that a shell reads. */
export type Inner =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "script"; readonly text: string };

/** How the arguments of a command that runs another one are read. */
interface Wrapper {
  /** Letters of short options that take a value. */
  readonly valued?: string;
  /** Long options that take the next word as their value. */
  readonly long?: readonly string[];
  /** Words after the options that are not yet the command. */
  readonly skip?: number;
  /** Assignments may stand before the command. */
  readonly assigns?: boolean;
  /** An option whose value is a text for a shell. */
  readonly script?: readonly string[];
}

const PLAIN: Wrapper = {};

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: PLAIN,
  busybox: PLAIN,
  chroot: { skip: 1, long: ["--userspec", "--groups"] },
  chrt: { skip: 1, valued: "TPD" },
  command: PLAIN,
  doas: { valued: "Cu" },
  env: {
    valued: "uC",
    long: ["--unset", "--chdir", "--argv0"],
    assigns: true,
    script: ["-S", "--split-string"],
  },
  exec: { valued: "a" },
  flock: { skip: 1, valued: "wE", script: ["-c", "--command"] },
  ionice: { valued: "cnpPu", long: ["--class", "--classdata"] },
  ltrace: { valued: "aAeluopsnDFwx" },
  nice: { valued: "n", long: ["--adjustment"] },
  nohup: PLAIN,
  nsenter: { valued: "tSGrw" },
  parallel: { valued: "jISPN", long: ["--jobs", "--results"] },
  pkexec: { long: ["--user"] },
  proxychains: { valued: "f" },
  runuser: { valued: "ugGsw", script: ["-c", "--command"] },
  script: { valued: "oIOBTmE", script: ["-c", "--command"] },
  setpriv: { long: ["--reuid", "--regid", "--groups", "--pdeathsig", "--inh-caps", "--bounding-set"] },
  setsid: PLAIN,
  stdbuf: { valued: "ioe", long: ["--input", "--output", "--error"] },
  strace: { valued: "aeobEIOpPSuUX" },
  su: { valued: "gGsw", script: ["-c", "--command"] },
  sudo: {
    valued: "ugUhpCTRDrtac",
    long: ["--user", "--group", "--other-user", "--host", "--prompt", "--close-from", "--chdir", "--chroot"],
    assigns: true,
  },
  "systemd-run": {
    valued: "pEuMHt",
    long: ["--property", "--setenv", "--unit", "--slice", "--uid", "--gid"],
  },
  taskset: { skip: 1 },
  time: { valued: "fo", long: ["--format", "--output"] },
  timeout: { skip: 1, valued: "sk", long: ["--signal", "--kill-after"] },
  toybox: PLAIN,
  unbuffer: PLAIN,
  unshare: { valued: "SGRw" },
  watch: { valued: "nq", long: ["--interval"] },
  xargs: {
    valued: "aEIdLnPs",
    long: [
      "--arg-file",
      "--delimiter",
      "--max-lines",
      "--max-args",
      "--max-procs",
      "--max-chars",
      "--replace",
    ],
  },
};

const SHELLS = new Set("sh bash dash zsh ksh ash mksh fish rbash".split(" "));

/** Interpreters and the options whose value is code. */
const CODE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  python: ["-c"],
  python2: ["-c"],
  python3: ["-c"],
  perl: ["-e", "-E"],
  ruby: ["-e"],
  node: ["-e", "--eval", "-p", "--print"],
  nodejs: ["-e", "--eval", "-p", "--print"],
  bun: ["-e", "--eval"],
  deno: ["eval"],
  php: ["-r"],
  lua: ["-e"],
};

export const isShell = (name: string): boolean => SHELLS.has(name);

/** A command's name, however its path was spelled. */
export function commandName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/**
 * What a command runs besides itself, as far as its arguments say it.
 *
 * @param input - what it reads, when that is known
 */
export function innerCommands(words: readonly string[], input?: string): readonly Inner[] {
  const [first = "", ...args] = words;
  const name = commandName(first);
  if (isShell(name)) return shellScripts(args, input);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper !== undefined) return wrapped(args, wrapper);
  if (name === "find" || name === "fd") return findCommands(args);
  if (name === "git") return gitCommands(args);
  if (name === "eval") return [{ kind: "script", text: args.join(" ") }];
  if (name === "trap") return [{ kind: "script", text: args.find((arg) => !arg.startsWith("-")) ?? "" }];
  const options = Object.hasOwn(CODE_OPTIONS, name) ? CODE_OPTIONS[name] : undefined;
  return options === undefined ? [] : codeStrings(args, options, input);
}

function wrapped(args: readonly string[], wrapper: Wrapper): readonly Inner[] {
  const { script = [], assigns = false, skip = 0 } = wrapper;
  // Wherever it stands: `su - name -c …` has it behind other words.
  const inner = args.flatMap((_arg, at) => scriptAt(args, at, script));
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at += 1;
      break;
    }
    if (assigns && ASSIGNMENT.test(arg)) continue;
    if (!arg.startsWith("-") || arg === "-") break;
    if (takesNext(arg, wrapper)) at += 1;
  }
  if (assigns) while (ASSIGNMENT.test(args[at] ?? "")) at += 1;
  const words = args.slice(at + skip);
  return words.length > 0 ? [...inner, { kind: "words", words }] : inner;
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** The text that an option hands to a shell: `-c text`, `-qc text`, `-ctext`, `--command text`, `--command=text`. */
function scriptAt(args: readonly string[], at: number, options: readonly string[]): readonly Inner[] {
  const arg = args[at] ?? "";
  for (const option of options) {
    const letter = option.startsWith("--") ? undefined : option.charAt(1);
    if (arg === option || (letter !== undefined && /^-[A-Za-z]+$/.test(arg) && arg.endsWith(letter))) {
      return [{ kind: "script", text: args[at + 1] ?? "" }];
    }
    const joined = letter === undefined ? `${option}=` : option;
    if (arg.startsWith(joined)) return [{ kind: "script", text: arg.slice(joined.length) }];
  }
  return [];
}

function splitOnce(arg: string): readonly [string, string?] {
  const at = arg.indexOf("=");
  return at < 0 ? [arg] : [arg.slice(0, at), arg.slice(at + 1)];
}

/** Whether an option's value is the next word: `-u name`, `--user name`, but not `-uname` or `--user=name`. */
function takesNext(arg: string, { valued = "", long = [] }: Wrapper): boolean {
  if (arg.startsWith("--")) return long.includes(arg);
  // A cluster like `-iu`: the first letter that takes a value has the rest of the word for it, if there is any.
  const first = arg.slice(1).search(new RegExp(`[${valued}]`));
  return first >= 0 && first === arg.length - 2;
}

function shellScripts(args: readonly string[], input: string | undefined): readonly Inner[] {
  let takesText = false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (/^[-+]-?[A-Za-z-]+/.test(arg) && arg !== "--") {
      takesText ||= /^-[A-Za-z]*c/.test(arg);
      if (/^[-+]([oO]|-rcfile|-init-file)$/.test(arg)) at += 1;
      continue;
    }
    const text = arg === "--" || arg === "-" ? args[at + 1] : arg;
    // Without `-c` this is the name of a file, which nobody can read beforehand.
    return takesText ? [{ kind: "script", text: text ?? "" }] : [];
  }
  return input === undefined ? [] : [{ kind: "script", text: input }];
}

function findCommands(args: readonly string[]): readonly Inner[] {
  const firstTest = args.findIndex((arg) => /^[-(!]/.test(arg));
  const bases = args.slice(0, firstTest < 0 ? args.length : firstTest);
  return args.flatMap((arg, at): Inner[] => {
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(arg)) return [];
    const rest = args.slice(at + 1);
    const end = rest.findIndex((word) => word === ";" || word === "+");
    const words = rest.slice(0, end < 0 ? rest.length : end);
    // What it finds lies under its bases, and comes to the bases themselves.
    return [{ kind: "words", words: words.flatMap((word) => (word === "{}" ? bases : [word])) }];
  });
}

/** `git -c alias.x='!command' x`, and the settings that name a program. */
function gitCommands(args: readonly string[]): readonly Inner[] {
  return args.flatMap((arg, at): Inner[] => {
    const setting = arg === "-c" ? args[at + 1] : /^(--config-env=|-c)(.+)$/s.exec(arg)?.[2];
    const [, value] = splitOnce(setting ?? "");
    return value === undefined ? [] : [{ kind: "script", text: value.replace(/^!/, "") }];
  });
}

/** Texts in inline code: what a program hands to a shell stands in one of them. */
function codeStrings(
  args: readonly string[],
  options: readonly string[],
  input: string | undefined,
): readonly Inner[] {
  const code = args.filter((_arg, at) => options.includes(args[at - 1] ?? ""));
  if (args.length === 0 || args[0] === "-") code.push(input ?? "");
  return code.flatMap((text) =>
    [...text.matchAll(/(["'`])((?:\\.|(?!\1)[^\\])*)\1/gs)].map(([, , string = ""]): Inner => ({
      kind: "script",
      text: string,
    })),
  );
}
