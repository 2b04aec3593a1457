import { type HostError, toolFailed } from "../../../shared/errors/host-error.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such program, or its directory is gone",
  EACCES: "it is not executable, or its directory may not be entered",
  E2BIG: "its arguments and environment are too long; put the text into a file and pass its path",
  EAGAIN: "the system has no room for more processes; end some and try again",
  ENOMEM: "the system has no memory left; end something and try again",
  EMFILE: "too many files are open; try again",
  ENFILE: "too many files are open in the whole system; try again",
  ENOEXEC: "it is no program that this system can run",
  ENOTDIR: "its working directory is not a directory",
};

/** Why a program could not be started, in words. */
export function spawnError(thrown: unknown, program: string): HostError {
  const code = systemErrorCode(thrown);
  const reason = (code === undefined ? undefined : REASONS[code]) ?? code ?? String(thrown);
  return toolFailed(`Cannot start ${program}: ${reason}`, thrown);
}
