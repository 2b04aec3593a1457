import { spawn } from "@lydell/node-pty";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median, report } from "./figures.ts";
import { startModelProcess } from "./model-process.ts";

/** The terminal client as a person meets it: until it can be seen, how soon a key shows, and what it costs to wait. */
const agent = fileURLToPath(new URL("../bin/agent.js", import.meta.url));
const TOKENS = 20_000;

class Client {
  readonly #pty;
  #seen = "";
  #look: () => void = () => undefined;

  constructor(home: string) {
    const { PATH = "" } = process.env;
    const env = { PATH, AGENT_HOME: home, TERM: "xterm-256color" };
    this.#pty = spawn(process.execPath, [agent], { cwd: home, env, cols: 100, rows: 30 });
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

  /** Processor time so far, in milliseconds, and memory, in MB. */
  cost(): { readonly cpu: number; readonly rss: number } {
    const stat = readFileSync(`/proc/${this.#pty.pid}/stat`, "utf8").split(" ");
    const status = readFileSync(`/proc/${this.#pty.pid}/status`, "utf8");
    const rss = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    return { cpu: (Number(stat[13]) + Number(stat[14])) * 10, rss };
  }

  async leave(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pty.onExit(() => resolve());
    this.#pty.write("\u0003\u0003");
    await promise;
  }
}

const home = mkdtempSync(join(tmpdir(), "agent-bench-"));
await using model = await startModelProcess([
  "--tokens",
  String(TOKENS),
  "--writes",
  String(TOKENS),
  "--pace",
  "1",
]);
const block = `model:\n  provider: local\n  base_url: ${model.baseUrl}\n  default: test-model\n  context_length: 100000000\n`;
writeFileSync(join(home, "config.yaml"), block);

const paints: number[] = [];
for (let index = 0; index < 7; index += 1) {
  const started = performance.now();
  const client = new Client(home);
  await client.shows("›");
  paints.push(performance.now() - started);
  await client.shows("test-model");
  await client.leave();
}
report("first frame, embedded gateway", median(paints), { unit: "ms" });

const client = new Client(home);
await client.shows("test-model");
await pause(2000);
const before = client.cost();
await pause(5000);
report("waiting for a prompt", (client.cost().cpu - before.cpu) / 50, { unit: "% of a core" });
report("waiting for a prompt", client.cost().rss, { unit: "MB" });

client.type("go\r");
await client.shows("Ctrl+C interrupts");
const [began, spent] = [performance.now(), client.cost().cpu];
const echoes: number[] = [];
for (let index = 0; index < 100; index += 1) {
  const letter = String.fromCharCode(0x4e00 + index);
  const typed = performance.now();
  client.type(letter);
  await client.shows(letter);
  echoes.push(performance.now() - typed);
  await pause(20);
}
report("a key shows, while deltas stream: median", median(echoes), { unit: "ms" });
report("a key shows, while deltas stream: slowest", Math.max(...echoes), { unit: "ms" });
const share = (client.cost().cpu - spent) / (performance.now() - began);
report("host and client, while deltas stream", share * 100, { unit: "% of a core" });
report("host and client, while deltas stream", client.cost().rss, { unit: "MB" });
await client.leave();
rmSync(home, { recursive: true });
