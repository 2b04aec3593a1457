import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import { systemErrorCode } from "../../shared/errors/system-error.ts";
import type { Io } from "./io.ts";

const MOST_OUTPUT = 16 * 1024 * 1024;

/** The environment and folder of a program. */
export interface ProgramPlace {
  readonly env: Io["env"];
  readonly cwd: string;
}

/** The parts of this process that another one of the same program gets. */
export type OwnProgram = ProgramPlace & { readonly machine: Pick<Io["machine"], "execPath" | "argv"> };

/** The end of a program; the reason is there when it failed. */
interface ProgramEnd {
  readonly stdout: string;
  readonly failure?: HostError;
}

/** The file of this program's command. */
export function ownProgram({ argv }: OwnProgram["machine"]): string {
  const [, program] = argv;
  if (program === undefined) throw new HostError("internal", "This process runs no program of its own.");
  return program;
}

/** Runs a program to its end. */
function endOf(
  file: string,
  args: readonly string[],
  { env, cwd, signal }: ProgramPlace & { readonly signal: AbortSignal },
): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  const options = { env: { ...env }, cwd, signal, maxBuffer: MOST_OUTPUT };
  execFile(file, [...args], options, (cause, stdout, stderr) => {
    if (cause === null) return resolve({ stdout });
    const isAbsent = systemErrorCode(cause) === "ENOENT";
    const words = isAbsent ? `There is no program ${file} here.` : lastWords(stderr) || messageOf(cause);
    const failure = new HostError(isAbsent ? "not_found" : "internal", words, { cause });
    return resolve({ stdout, failure });
  });
  return promise;
}

/**
 * Runs a program to its end, and gives what it printed.
 *
 * @throws HostError `not_found` when there is none of that name, `internal` with its last words when it failed
 */
export async function outputOf(...call: Parameters<typeof endOf>): Promise<string> {
  const { stdout, failure } = await endOf(...call);
  if (failure !== undefined) throw failure;
  return stdout;
}

/**
 * Runs a command of this program in a process of its own, and reads the JSON that it prints, whatever its exit code: what
 * takes long or may fail badly keeps nobody else waiting here.
 *
 * @throws HostError `internal` with its last words when it printed none
 */
export async function askOwnProgram(
  { machine, ...place }: OwnProgram,
  args: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const { stdout, failure } = await endOf(machine.execPath, [ownProgram(machine), ...args], {
    ...place,
    signal,
  });
  try {
    return JSON.parse(stdout);
  } catch (cause) {
    throw failure ?? new HostError("internal", `agent ${args.join(" ")} printed no JSON.`, { cause });
  }
}

/** A program that runs beside this one, until it is disposed of or its signal aborts. */
export interface StartedProgram extends AsyncDisposable {
  /** The first line of its stdout. @throws HostError `internal` with its last words when it ends without one */
  line(): Promise<string>;
}

/** Starts a program of Node. */
export function startProgram(
  args: readonly string[],
  { machine, env, cwd, signal }: OwnProgram & { readonly signal: AbortSignal },
): StartedProgram {
  const child = spawn(machine.execPath, [...args], {
    env: { ...env },
    cwd,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const first = Promise.withResolvers<string>();
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-MOST_WORDS)));
  createInterface({ input: child.stdout }).once("line", first.resolve);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.once("error", (cause) => first.reject(new HostError("internal", messageOf(cause), { cause })));
  child.once("close", () =>
    first.reject(new HostError("internal", lastWords(said) || "it ended without a word")),
  );
  first.promise.catch(() => undefined);
  return {
    line: () => first.promise,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Starts a program of Node that outlives this one. */
export function leaveBehind(args: readonly string[], { machine, env, cwd }: OwnProgram): void {
  spawn(machine.execPath, [...args], { env: { ...env }, cwd, detached: true, stdio: "ignore" }).unref();
}

const MOST_WORDS = 2000;
const lastWords = (stderr: string): string => stderr.trim().replace(/^agent: /, "");
