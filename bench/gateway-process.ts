import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { BENCH_KEY } from "./http-load.ts";

const AGENT = fileURLToPath(new URL("../bin/agent.js", import.meta.url));

export const TOKEN = "a-token-of-the-benchmark";

/** A home of the bench's own, with a model server's address in its configuration. */
export interface BenchHome extends Disposable {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Starts `agent` on it. */
  agent(...args: readonly string[]): ChildProcessByStdio<Writable, Readable, Readable>;
}

/** @param more - further lines of its configuration */
export function benchHome(baseUrl?: string, more = ""): BenchHome {
  const home = mkdtempSync(join(tmpdir(), "agent-bench-"));
  if (baseUrl !== undefined) {
    const model = `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;
    writeFileSync(join(home, "config.yaml"), model + more);
  }
  const { PATH = "", HOME = "" } = process.env;
  const keys = { AGENT_GATEWAY_TOKEN: TOKEN, API_SERVER_KEY: BENCH_KEY };
  const env = { PATH, HOME, AGENT_HOME: home, ...keys };
  return {
    folder: home,
    env,
    agent: (...args) => spawn(process.execPath, [AGENT, ...args], { env, stdio: ["pipe", "pipe", "pipe"] }),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

export const agentCommand = { command: process.execPath, args: [AGENT, "rpc"] };

/** Megabytes of memory that a process has. */
export function memoryOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid ?? 0}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1000;
}

/** The same of a process and all that it started: some agents are a small program that starts a large one. */
export function memoryOfAll(pid: number): number {
  const below = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return below
    .filter((each) => each !== "")
    .reduce((sum, each) => sum + memoryOfAll(Number(each)), memoryOf(pid));
}
