import { HostError } from "../../shared/errors/host-error.ts";
import { directWriter } from "./direct-writer.ts";
import { leaveTerminal } from "./leave-terminal.ts";
import { systemReason } from "../config/home.ts";
import { ownHeap } from "./heap.ts";
import type { Io } from "./io.ts";

/** The real process. */
export interface ProcessIo extends Io {
  /** Why output was lost; `undefined` when all was taken, or the reader left, which is no error of ours. */
  outputLoss(): HostError | undefined;
}

/**
 * The real process. Output to a reader that left is dropped: the command decides what that means.
 *
 * @throws HostError `not_found` when the current folder is gone
 */
export function processIo(): ProcessIo {
  let loss: HostError | undefined;
  process.stdout.on("error", (cause: Error) => {
    // A terminal whose window was closed fails with EIO.
    if (!("code" in cause) || cause.code === "EPIPE" || cause.code === "EIO") return;
    loss ??= new HostError("store_unavailable", `Not all output could be written: ${systemReason(cause)}.`, {
      cause,
    });
  });
  process.stderr.on("error", () => undefined);
  return {
    outputLoss: () => loss,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: currentFolder(),
    pid: process.pid,
    platform: process.platform,
    machine: {
      platform: process.platform,
      pid: process.pid,
      execPath: process.execPath,
      argv: process.argv,
      env: process.env,
      kill: (pid, signal) => process.kill(pid, signal),
    },
    onSignal(signal, run) {
      process.on(signal, run);
      return () => void process.off(signal, run);
    },
    parentPid: () => process.ppid,
    claimStdout,
    onExit(run) {
      process.on("exit", run);
      return () => void process.off("exit", run);
    },
    leaveTerminal,
    ...startingAnew(),
    heap: ownHeap(),
    exit: (code) => process.exit(code),
  };
}

/** A program that takes its own place keeps its process id and its terminal: whoever supervises it notices nothing. */
function startingAnew(): Pick<Io, "startAnew"> {
  const { execPath, execArgv, argv, env } = process;
  const execve = process.execve?.bind(process);
  if (execve === undefined) return {};
  const given = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const startAnew = (): never => {
    // For those who wait for the end of the process, this is it.
    process.emit("exit", 0);
    return execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], Object.fromEntries(given));
  };
  return { startAnew };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new HostError(
      "not_found",
      "The current folder is gone: it was deleted or moved. Change to one that is there.",
      {
        cause,
      },
    );
  }
}

function claimStdout(stray: (text: string) => void): (text: string) => Promise<void> {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    stray(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk));
    const done = rest.find((argument) => typeof argument === "function");
    done?.();
    return true;
  };
  return directWriter({ descriptor: stdout.fd, stream: stdout, write });
}
