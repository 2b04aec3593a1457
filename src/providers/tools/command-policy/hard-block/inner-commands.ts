/** A command that another command runs: as words, or as a text that a shell reads. */
export type Inner =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "script"; readonly text: string };

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Programs that run the command behind their options. */
const WRAPPERS = words(
  "builtin busybox chroot chrt command doas env exec flock ionice ltrace nice nohup nsenter parallel pkexec proxychains runuser " +
    "script setpriv setsid stdbuf strace su sudo systemd-run taskset time timeout toybox unbuffer unshare watch xargs",
);
/** Wrappers whose first word behind the options is not yet the command. */
const NAMED_FIRST = words("chroot chrt flock script su taskset");
const SHELLS = words("sh bash dash zsh ksh ash mksh fish rbash");
const INTERPRETERS = words("python python2 python3 perl ruby node nodejs bun deno php lua");
const SHELL_OPTIONS_WITH_VALUE = /^[-+]([oO]|-rcfile|-init-file)$/;

/** A command's name, however its path was spelled. */
export const commandName = (word: string): string => word.slice(word.lastIndexOf("/") + 1);

/** Whether a command runs other commands, or code, that its name does not tell. */
export function runsOthers(line: readonly string[]): boolean {
  const name = commandName(line[0] ?? "");
  return SHELLS.has(name) || WRAPPERS.has(name) || innerCommands(line).length > 0;
}

/**
 * The commands that a command runs besides itself, as far as its words say.
 *
 * @param input - its standard input, when that is known
 */
export function innerCommands(line: readonly string[], input?: string): readonly Inner[] {
  const [first = "", ...args] = line;
  const name = commandName(first);
  if (SHELLS.has(name)) return shellScripts(args, input);
  if (WRAPPERS.has(name)) return wrapped(args, NAMED_FIRST.has(name));
  if (name === "find" || name === "fd") return findCommands(args);
  if (name === "git") return gitSettings(args);
  if (name === "eval") return [{ kind: "script", text: args.join(" ") }];
  if (name === "trap") return [{ kind: "script", text: args.find((arg) => !arg.startsWith("-")) ?? "" }];
  return INTERPRETERS.has(name) ? codeStrings(args, input) : [];
}

/**
 * The commands behind a wrapper's options. The options of each wrapper are not known here: a word behind an option may be
 * its value or the command, so both are looked at.
 */
function wrapped(args: readonly string[], namedFirst: boolean): readonly Inner[] {
  const inner = args.flatMap((arg, at) => scriptAt(arg, args[at + 1]));
  let named = namedFirst;
  for (const [at, arg] of args.entries()) {
    const isOption = arg.startsWith("-");
    if (isOption || isAssignment(arg) || /^[\d.]+[smhd]?$/.test(arg)) continue;
    inner.push({ kind: "words", words: args.slice(at) });
    const mayBeValue = (args[at - 1] ?? "").startsWith("-") && args[at - 1] !== "--";
    if (!mayBeValue && !named) break;
    if (!mayBeValue) named = false;
    if (inner.length > MOST_READINGS) break;
  }
  return inner;
}

/** Readings of one wrapper's words that are looked at. */
const MOST_READINGS = 6;

const isAssignment = (arg: string): boolean => /^[A-Za-z_]\w*=/.test(arg);

/** The text that an option hands to a shell: `-c text`, `-qc text`, `--command text`, `--command=text`, `-Stext`. */
function scriptAt(arg: string, next = ""): Inner[] {
  const [, joined] = /^(?:--(?:command|split-string)=|-S(?=.))(.*)$/s.exec(arg) ?? [];
  if (joined !== undefined) return [{ kind: "script", text: joined }];
  return /^(-[A-Za-z]*[cS]|--command|--split-string)$/.test(arg) ? [{ kind: "script", text: next }] : [];
}

function shellScripts(args: readonly string[], input: string | undefined): readonly Inner[] {
  let takesText = false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (/^[-+]-?[A-Za-z-]+/.test(arg) && arg !== "--") {
      takesText ||= /^-[A-Za-z]*c/.test(arg);
      if (SHELL_OPTIONS_WITH_VALUE.test(arg)) at += 1;
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
    const inner = rest.slice(0, end < 0 ? rest.length : end);
    // It finds the bases themselves too.
    return [{ kind: "words", words: inner.flatMap((word) => (word === "{}" ? bases : [word])) }];
  });
}

/** `git -c alias.x='!command' x`, and the settings that name a program. */
function gitSettings(args: readonly string[]): readonly Inner[] {
  return args.flatMap((arg, at): Inner[] => {
    const setting = arg === "-c" ? args[at + 1] : /^(?:--config-env=|-c)(.+)$/s.exec(arg)?.[1];
    const value = setting?.split("=").slice(1).join("=");
    return value === undefined || value === "" ? [] : [{ kind: "script", text: value.replace(/^!/, "") }];
  });
}

/** Texts in code that is given to an interpreter: a command that it hands to a shell stands in one of them. */
function codeStrings(args: readonly string[], input: string | undefined): readonly Inner[] {
  const code = args.filter((_arg, at) => /^(-[cerpE]|--eval|--print|eval)$/.test(args[at - 1] ?? ""));
  if (args.length === 0 || args[0] === "-") code.push(input ?? "");
  return code.flatMap((text) =>
    [...text.matchAll(/(["'`])((?:\\.|(?!\1)[^\\])*)\1/gs)].map(([, , string = ""]): Inner => ({
      kind: "script",
      text: string,
    })),
  );
}
