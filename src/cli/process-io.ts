import type { Io } from "./io.ts";

/** The real process. Output to a reader that left is dropped: the command decides what that means. */
export function processIo(): Io {
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
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
    exit: (code) => process.exit(code),
  };
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
  return (text) =>
    new Promise((resolve, reject) => {
      write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
    });
}
