import { execFile } from "node:child_process";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import type { Io } from "./io.ts";

const MOST_OUTPUT = 16 * 1024 * 1024;

/** The parts of this process that another one of the same program gets. */
export type OwnProgram = Pick<Io, "env" | "cwd"> & {
  readonly machine: Pick<Io["machine"], "execPath" | "argv">;
};

/** The arguments with which Node runs this program, before those of the command. */
export function ownProgram({ argv }: OwnProgram["machine"]): string {
  const [, program] = argv;
  if (program === undefined) throw new HostError("internal", "This process runs no program of its own.");
  return program;
}

/**
 * Runs a command of this program in a process of its own, and reads the JSON that it prints, whatever its exit code: what
 * takes long or may fail badly keeps nobody else waiting here.
 *
 * @throws HostError `internal` with its last words when it printed none
 */
export async function askOwnProgram(
  own: OwnProgram,
  args: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const { env, cwd, machine } = own;
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const options = { env: { ...env }, cwd, signal, maxBuffer: MOST_OUTPUT };
  execFile(machine.execPath, [ownProgram(machine), ...args], options, (cause, stdout, stderr) => {
    try {
      resolve(JSON.parse(stdout));
    } catch {
      const words = stderr.trim().replace(/^agent: /, "") || messageOf(cause ?? "it said nothing");
      reject(new HostError("internal", words, { cause }));
    }
  });
  return promise;
}
