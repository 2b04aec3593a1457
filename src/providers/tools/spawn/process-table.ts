import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate, setTimeout } from "node:timers/promises";
import { runSystemProgram } from "./system-program.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { defined } from "../../../shared/json/defined.ts";

/** The start time of a process, which tells it from a later one with the same pid. */
export interface ProcessStart {
  /** Orders processes by their start; the unit is the system's. */
  readonly started: number;
  /** With the process id, this names one process for all time. */
  readonly mark: string;
  /** Processes and threads that the system had started by then, where it tells. */
  readonly forks?: number;
}

/** A process, and when it began. */
export interface ProcessBirth {
  readonly pid: number;
  readonly birth: ProcessStart;
}

/** A living process; one that only waits to be collected by its parent is none. */
export interface ProcessEntry extends ProcessStart {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The session that it is in, 0 where that cannot be told. */
  readonly session: number;
  /** Another one when it has become another program, whatever it calls itself; empty where that cannot be told. */
  readonly image: string;
}

/** The system's table of processes. */
export interface ProcessTable {
  /** Lists all processes; with `since`, those at least that began with this one or later. */
  list(since?: ProcessBirth): Promise<readonly ProcessEntry[]>;
  find(pid: number): Promise<ProcessEntry | undefined>;
  /**
   * The birth of a child that was spawned just now, also when it is over already.
   *
   * @param stat - its line in the table, where that was read when it began
   */
  birth(pid: number, stat?: string): Promise<ProcessStart | undefined>;
  /** A birth as its mark was noted in an earlier life; `undefined` when the machine was started anew since then. */
  birthOf(mark: string): ProcessStart | undefined;
  /** The value that a variable had when the process began, where the system tells. */
  variable(pid: number, name: string): Promise<string | undefined>;
}

/** Processes that are looked at between two rests, in which others have their turn. */
const BETWEEN_RESTS = 100;

export function processTable(platform: string): ProcessTable {
  return platform === "linux" && existsSync("/proc/self/stat") ? linuxTable() : psTable;
}

function linuxTable(): ProcessTable {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
  const numbers = Number(readFileSync("/proc/sys/kernel/pid_max", "latin1"));
  const living = (stat: string | undefined): ProcessEntry | undefined => {
    const entry = parseStat(stat, boot);
    return entry?.dead === false ? entry : undefined;
  };
  // Waits for nobody: the kernel knows it. To have another thread read it takes twenty times as long.
  const lookAt = (pid: number): ProcessEntry | undefined => living(textNow(`/proc/${pid}/stat`));
  return {
    async list(since) {
      const now = since === undefined ? undefined : forks();
      const first = since === undefined ? 0 : firstSince(since, { now, numbers });
      if (first > 0 && now === since?.birth.forks && newestPid() === first) return listOf(lookAt(first));
      const all = readdirSync("/proc")
        .map(Number)
        .filter((pid) => Number.isInteger(pid));
      const entries: ProcessEntry[] = [];
      for (const [index, pid] of all.filter((each) => each >= first).entries()) {
        entries.push(...listOf(lookAt(pid)));
        if (index % BETWEEN_RESTS === BETWEEN_RESTS - 1) await setImmediate();
      }
      return entries;
    },
    find: async (pid) => lookAt(pid),
    birth(pid, stat) {
      // Read at once: a child that is over stays in the table until the event loop turns.
      try {
        const birth = birthOf(parseStat(stat ?? readFileSync(`/proc/${pid}/stat`, "latin1"), boot));
        return Promise.resolve(birth && { ...birth, ...defined({ forks: forks() }) });
      } catch {
        return Promise.resolve(undefined); // There is no /proc, or no such process.
      }
    },
    birthOf(mark) {
      const [life, ticks] = mark.split(":");
      return life === boot ? { started: Number(ticks), mark } : undefined;
    },
    async variable(pid, name) {
      const lives = (): boolean => lookAt(pid) !== undefined;
      const lines = (await environmentOf(pid, lives))?.split("\0");
      return lines?.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
    },
  };
}

/**
 * The lowest process id that was given out since a process began. Ids are given out in rising order until the highest
 * one; then they begin anew, and any may be newer. Before that the system starts as many processes as there are numbers.
 */
function firstSince(
  { pid, birth }: ProcessBirth,
  { now, numbers }: { readonly now: number | undefined; readonly numbers: number },
): number {
  if (birth.forks === undefined || now === undefined) return 0;
  // The other half is for those whose numbers are taken, and for the look at the counter being later than the start.
  if (now - birth.forks > (numbers - pid) / 2) return 0;
  return pid;
}

/**
 * The number that the newest process or thread has got, which may be over. Some containers look it up now and then only: the
 * counter has to say the same.
 */
function newestPid(): number {
  const text = readFileSync("/proc/loadavg", "latin1");
  return Number(text.slice(text.lastIndexOf(" ") + 1));
}

const listOf = (entry: ProcessEntry | undefined): readonly ProcessEntry[] =>
  entry === undefined ? [] : [entry];

/** Processes and threads that the system has started. */
function forks(): number | undefined {
  const [, count] = /^processes (\d+)$/m.exec(readFileSync("/proc/stat", "latin1")) ?? [];
  return count === undefined ? undefined : Number(count);
}

function birthOf(entry: ProcessEntry | undefined): ProcessStart | undefined {
  return entry && { started: entry.started, mark: entry.mark };
}

/** What a process is hidden by: its end, or another owner. Any other failure must not make it look ended. */
const HIDDEN: ReadonlySet<string | undefined> = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM"]);

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "latin1");
  } catch (error) {
    return hidden(error);
  }
}

function textNow(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    return hidden(error);
  }
}

function hidden(error: unknown): undefined {
  if (!HIDDEN.has(systemErrorCode(error))) throw error;
}

/** The longest pause between two looks at a process that shows no variables, in milliseconds; the first one is 1. */
const LONGEST_PAUSE = 128;

/**
 * The variables of a process. While one program takes the place of another in it, the system shows none: on a busy machine
 * for long. It shows none of one that ends, either.
 */
async function environmentOf(pid: number, lives: () => boolean): Promise<string | undefined> {
  let text = await textOf(`/proc/${pid}/environ`);
  for (let pause = 1; text === "" && pause <= LONGEST_PAUSE && lives(); pause *= 2) {
    await setTimeout(pause);
    text = await textOf(`/proc/${pid}/environ`);
  }
  return text;
}

/** The flag of a thread of the system's own, which has no variables and is nobody's process. */
const KERNEL_THREAD = 0x00_20_00_00;

/** The fields after the name, which may itself contain blanks and parentheses (see proc(5)). */
function parseStat(stat: string | undefined, boot: string): (ProcessEntry & { dead: boolean }) | undefined {
  if (stat === undefined) return undefined;
  const pid = Number.parseInt(stat, 10);
  const [state = "", parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const started = Number(rest[15]);
  if (!Number.isInteger(pid) || !Number.isInteger(started)) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    // Where its code and its stack begin.
    image: rest.slice(19, 22).join(" "),
    started,
    mark: `${boot}:${started}`,
    dead: "ZXx".includes(state) || (Number(rest[2]) & KERNEL_THREAD) !== 0,
  };
}

const PS_ENV = { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" };
const PS = ["-o", "pid=,ppid=,pgid=,state=,lstart="];

/** Systems without /proc: no sessions, no variables, starts in whole seconds. */
const psTable: ProcessTable = {
  list: () => listByPs(["-ax", ...PS]),
  find: async (pid) => (await listByPs(["-p", String(pid), ...PS]))[0],
  birth: async (pid) => birthOf((await listByPs(["-p", String(pid), ...PS], true))[0]),
  birthOf: (mark) => ({ started: Date.parse(`${mark} UTC`), mark }),
  variable: () => Promise.resolve(undefined),
};

async function listByPs(args: readonly string[], dead = false): Promise<readonly ProcessEntry[]> {
  // `ps` fails when no process fits, but has said all it knows on its standard output.
  const { stdout } = await runSystemProgram("ps", args, PS_ENV);
  return stdout.split("\n").flatMap((line) => {
    const [pid, parent, group, state = "", ...start] = line.trim().split(/\s+/);
    const mark = start.join(" ");
    if (mark === "" || (!dead && state.startsWith("Z"))) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: 0,
        image: "",
        started: Date.parse(`${mark} UTC`),
        mark,
      },
    ];
  });
}
