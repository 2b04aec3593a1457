import { spawn } from "@lydell/node-pty";
import { fileURLToPath } from "node:url";
import type { CommandStage } from "./command.ts";

const BIN = fileURLToPath(new URL("../../bin/agent.js", import.meta.url));

/** A command that asks and answers in lines, in a real terminal. */
export class LineTerminal implements Disposable {
  readonly #pty;
  readonly exit: Promise<number>;
  #seen = "";
  #read = 0;
  #look: () => void = () => undefined;

  constructor(stage: CommandStage, args: readonly string[]) {
    const { PATH = "" } = process.env;
    const env = { PATH, HOME: stage.folder, AGENT_HOME: stage.home, TERM: "xterm-256color", ...stage.env };
    this.#pty = spawn(process.execPath, [BIN, ...args], { cwd: stage.workspace, env, cols: 100, rows: 30 });
    this.#pty.onData((data) => {
      this.#seen += data;
      this.#look();
    });
    const ended = Promise.withResolvers<number>();
    this.#pty.onExit(({ exitCode }) => ended.resolve(exitCode));
    this.exit = ended.promise;
  }

  /** All that was written so far. */
  get written(): string {
    return this.#seen;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  /** Waits until something new matches. */
  async shows(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#seen.slice(this.#read));
      if (found !== null) {
        this.#read += found.index + found[0].length;
        return found[0];
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#look = resolve;
      await promise;
    }
  }

  [Symbol.dispose](): void {
    this.#pty.kill("SIGKILL");
  }
}
