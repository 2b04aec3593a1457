import { spawn, type ChildProcess } from "node:child_process";

/** Ends at a line; where the input ends without one, the shell becomes the program that it was given. */
const SCRIPT = 'read -r line || exec "$@"';

/**
 * A shell that outlives this process when that is killed, and then starts a program: the input that it reads ends with
 * the process, whatever ends that.
 */
export class Watchdog {
  readonly #shell: ChildProcess;

  /**
   * @param command - the program with its arguments; it is started only if `stop` was not called
   * @param env - of the shell, and then of the program
   */
  constructor(command: readonly string[], env: Readonly<Record<string, string>>) {
    this.#shell = spawn("/bin/sh", ["-c", SCRIPT, "watchdog", ...command], {
      // A folder of its own choice would be kept from being removed.
      cwd: "/",
      env,
      // No signal that the terminal sends to this process may reach it.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    // Without a shell the next life of the host does what the program would have done.
    this.#shell.on("error", () => undefined);
    this.#shell.stdin?.on("error", () => undefined);
    this.#shell.unref();
  }

  /** There is nothing left to be done. */
  stop(): void {
    this.#shell.stdin?.end("\n");
  }
}
