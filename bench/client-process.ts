import { spawn } from "@lydell/node-pty";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const agent = fileURLToPath(new URL("../bin/agent.js", import.meta.url));

/** The terminal client in a terminal of its own, in a home, or another program for Node in its place. */
export class ClientProcess {
  readonly #pty;
  #seen = "";
  #look: () => void = () => undefined;

  constructor(home: string, program: readonly string[] = [agent]) {
    const { PATH = "" } = process.env;
    const env = { PATH, AGENT_HOME: home, TERM: "xterm-256color" };
    this.#pty = spawn(process.execPath, [...program], { cwd: home, env, cols: 100, rows: 30 });
    this.#pty.onData((data) => {
      this.#seen = (this.#seen + data).slice(-20_000);
      this.#look();
    });
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  /** Waits for something new. */
  async shows(text: string): Promise<void> {
    while (!this.#seen.includes(text)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#look = resolve;
      await promise;
    }
    this.#seen = this.#seen.slice(this.#seen.indexOf(text) + text.length);
  }

  /** Processor time so far of the threads that live, in milliseconds, and memory, in MB. */
  cost(): { readonly cpu: number; readonly rss: number } {
    const status = readFileSync(`/proc/${this.#pty.pid}/status`, "utf8");
    const rss = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    const tasks = `/proc/${this.#pty.pid}/task`;
    let cpu = 0;
    for (const task of readdirSync(tasks)) {
      const [nanoseconds] = readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ");
      cpu += Number(nanoseconds) / 1e6;
    }
    return { cpu, rss };
  }

  /** Leaves as a person does: Ctrl+C stops what runs, clears what is written, and then leaves. */
  async leave(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pty.onExit(() => resolve());
    const pressing = setInterval(() => this.#pty.write("\u0003"), 50);
    await promise;
    clearInterval(pressing);
  }
}
