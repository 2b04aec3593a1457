import { spawn } from "@lydell/node-pty";
import { fileURLToPath } from "node:url";
import type { CommandStage } from "./command.ts";
import { endGroup, endWithTest } from "./end-with-test.ts";

const BIN = fileURLToPath(new URL("../../bin/agent.js", import.meta.url));

/** A test that waits in vain says so before its own time is over, with what was written. */
const PATIENCE_MS = process.env["TEST_LONG"] === "1" ? 600_000 : 120_000;

/** A command that asks and answers in lines, in a real terminal. */
export class LineTerminal implements Disposable {
  readonly #pty;
  readonly exit: Promise<number>;
  #seen = "";
  #read = 0;
  #look: () => void = () => undefined;
  #exited = false;

  constructor(stage: CommandStage, args: readonly string[], cols = 100) {
    const { PATH = "" } = process.env;
    const env = { PATH, HOME: stage.folder, AGENT_HOME: stage.home, TERM: "xterm-256color", ...stage.env };
    this.#pty = spawn(process.execPath, [BIN, ...args], { cwd: stage.workspace, env, cols, rows: 30 });
    this.#pty.onData((data) => {
      this.#seen += data;
      this.#look();
    });
    const ended = Promise.withResolvers<number>();
    this.#pty.onExit(({ exitCode }) => {
      this.#exited = true;
      ended.resolve(exitCode);
      this.#look();
    });
    this.exit = ended.promise;
    endWithTest(() => this[Symbol.dispose]());
  }

  /** All that was written so far. */
  get written(): string {
    return this.#seen;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Waits until something new matches. */
  async shows(pattern: RegExp): Promise<string> {
    let late = false;
    const patience = setTimeout(() => {
      late = true;
      this.#look();
    }, PATIENCE_MS);
    using _ = { [Symbol.dispose]: () => clearTimeout(patience) };
    for (;;) {
      const found = pattern.exec(this.#seen.slice(this.#read));
      if (found !== null) {
        this.#read += found.index + found[0].length;
        return found[0];
      }
      if (late || this.#exited) throw new Error(`${pattern} did not come. It wrote:\n${this.#seen}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#look = resolve;
      await promise;
    }
  }

  [Symbol.dispose](): void {
    endGroup(this.#pty.pid);
  }
}
