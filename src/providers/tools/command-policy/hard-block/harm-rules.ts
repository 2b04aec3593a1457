import { wordList } from "../../../../shared/text/word-list.ts";
import { isCriticalPath, isRawDevice, isSystemPath, type Ground } from "./critical-paths.ts";

/** The facts that the rules know of the place where a command would run. */
export interface Scene extends Ground {
  readonly cwd: string;
  /** The process that must live: the host. */
  readonly pid: number;
  /** Names and words by which tools that look for processes find the host. */
  readonly hostNames: readonly string[];
}

type Rule = (args: readonly string[], scene: Scene) => string | undefined;

const operands = (args: readonly string[]): readonly string[] => {
  const end = args.indexOf("--");
  if (end < 0) return args.filter((arg) => !arg.startsWith("-") || arg === "-");
  return [...args.slice(0, end).filter((arg) => !arg.startsWith("-")), ...args.slice(end + 1)];
};

/** Whether a short option stands alone or in a cluster, or a long one in full or shortened. */
function hasOption(args: readonly string[], letters: RegExp, long: string): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? args.length : end).some((arg) => {
    if (arg.startsWith("--")) return arg.length > 2 && long.startsWith(arg);
    return arg.startsWith("-") && letters.test(arg.slice(1));
  });
}

const removes: Rule = (args, scene) => {
  if (args.includes("--no-preserve-root")) return "it would remove the whole system";
  if (!hasOption(args, /[rR]/, "--recursive")) return undefined;
  const lost = operands(args).find((path) => isCriticalPath(path, scene.cwd, scene));
  return lost === undefined ? undefined : `it would remove ${lost}`;
};

const changesAll: Rule = (args, scene) => {
  if (!hasOption(args, /R/, "--recursive")) return undefined;
  const lost = operands(args).find((path) => isSystemPath(path, scene.cwd));
  return lost === undefined ? undefined : `it would change everything under ${lost}`;
};

const moves: Rule = (args, scene) => {
  const paths = operands(args);
  const lost = paths.slice(0, -1).find((path) => isCriticalPath(path, scene.cwd, scene));
  return lost === undefined ? writesDevice(args, scene) : `it would move ${lost} away`;
};

const findDeletes: Rule = (args, scene) => {
  if (!args.includes("-delete")) return undefined;
  const firstTest = args.findIndex((arg) => /^[-(!]/.test(arg));
  const bases = args.slice(0, firstTest);
  const lost = (bases.length > 0 ? bases : ["."]).find((path) => isCriticalPath(path, scene.cwd, scene));
  return lost === undefined ? undefined : `it would remove ${lost}`;
};

const writesDevice: Rule = (args) => {
  const device = args.map((arg) => arg.replace(/^of=/, "")).find(isRawDevice);
  return device === undefined ? undefined : `it would write over the device ${device}`;
};

const copiesToDevice: Rule = (args) => {
  const device = args.find((arg) => arg.startsWith("of=") && isRawDevice(arg.slice(3)));
  return device === undefined ? undefined : `it would write over the device ${device.slice(3)}`;
};

const formats: Rule = () => "it would make a new file system over whatever is there";

const stopsMachine: Rule = (args) =>
  args.some((arg) => /^(--help|--version|-c)$/.test(arg)) ? undefined : "it would stop the machine";

const changesRunLevel: Rule = (args, scene) =>
  args.some((arg) => /^[016sS]$/.test(arg)) ? stopsMachine([], scene) : undefined;

const controlsSystem: Rule = (args, scene) =>
  operands(args).some((arg) => /^(poweroff|reboot|halt|kexec|soft-reboot|rescue|emergency|exit)$/.test(arg))
    ? stopsMachine([], scene)
    : undefined;

const KILLS_HOST =
  "it would end the agent host itself; name the process that you started, or use the process tool";

const kills: Rule = (args, { pid }) => {
  const [first = "", ...rest] = args;
  if (/^-(l|L|0|-list|-table)$/.test(first) || (first === "-s" && rest[0] === "0")) return undefined;
  // A number with a dash in the first place is the signal, anywhere else a process group.
  const targets = first.startsWith("-") && args.length > 1 ? rest : args;
  const forbidden = new Set([String(pid), `-${pid}`, "-1", "1", "%-1"]);
  return targets.some((target) => forbidden.has(target)) ? KILLS_HOST : undefined;
};

const killsByName: Rule = (args, { hostNames }) => {
  const full = hasOption(args, /f/, "--full");
  const patterns = args.filter(
    (arg, at) => !arg.startsWith("-") && !/^-[uUGPgstFO]$/.test(args[at - 1] ?? ""),
  );
  // Without a pattern, all processes of a user or a terminal are meant.
  if (patterns.length === 0) return args.some((arg) => /^-[uUGst]/.test(arg)) ? KILLS_HOST : undefined;
  const names = full ? hostNames : hostNames.slice(0, -1);
  return patterns.some((pattern) => names.some((name) => finds(pattern, name))) ? KILLS_HOST : undefined;
};

/**
 * Whether a pattern may find a name: its plain parts occur in it in their order. It is not run as an expression,
 * since whoever wrote it could make that take for ever.
 */
function finds(pattern: string, name: string): boolean {
  let at = 0;
  for (const part of pattern.split(/[^\w/-]+/)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

const each = (names: string, rule: Rule): Readonly<Record<string, Rule>> =>
  Object.fromEntries(wordList(names).map((name) => [name, rule]));

const RULES: Readonly<Record<string, Rule>> = {
  rm: removes,
  find: findDeletes,
  mv: moves,
  dd: copiesToDevice,
  kill: kills,
  killall5: () => KILLS_HOST,
  ...each("chmod chown chgrp", changesAll),
  ...each("tee cp install shred truncate wipefs blkdiscard badblocks", writesDevice),
  ...each("fdisk sfdisk gdisk sgdisk cfdisk parted", writesDevice),
  ...each("mke2fs mkswap newfs", formats),
  ...each("shutdown reboot halt poweroff kexec", stopsMachine),
  ...each("init telinit", changesRunLevel),
  ...each("systemctl loginctl", controlsSystem),
  ...each("pkill killall skill", killsByName),
};

/** Why a command may never run, or `undefined`. */
export function forbiddenReason(name: string, args: readonly string[], scene: Scene): string | undefined {
  if (name.startsWith("mkfs")) return formats(args, scene);
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  return rule?.(args, scene);
}
