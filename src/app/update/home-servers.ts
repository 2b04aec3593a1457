import { readFileSync, readlinkSync } from "node:fs";
import { z } from "zod";
import { type Clock, sleep } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { askOwnProgram, leaveBehind, type OwnProgram, type ProgramPlace } from "../process/own-program.ts";
import type { Io } from "../process/io.ts";
import { HEALTHY_MS } from "./trial.ts";

const Server = z.object({ pid: z.number(), version: z.string(), ready: z.boolean() });

/** A process that serves the home, and how it was started. */
interface HomeServer {
  readonly pid: number;
  /** Absent where the system does not tell. */
  readonly start?: ProgramPlace & { readonly args: readonly string[] };
}

const LOOK_MS = 500;
const ASK_MS = 20_000;
/** Milliseconds in which a process ends that is told to, and in which a service manager starts another one. */
const PATIENCE_MS = 5000;

/** The options of the processes that serve a home. */
interface HomeServersOptions {
  readonly own: ProgramPlace & Pick<Io, "machine">;
  readonly clock: Clock;
  /** Milliseconds that open turns get. */
  readonly drainMs: number;
}

/** The processes that serve a home: found by the command of whichever version stands in its place, restarted by a signal. */
export class HomeServers {
  readonly #options: HomeServersOptions;
  readonly #found: readonly HomeServer[];

  private constructor(options: HomeServersOptions, found: readonly HomeServer[]) {
    this.#options = options;
    this.#found = found;
  }

  /** Finds those that run. */
  static async find(options: HomeServersOptions): Promise<HomeServers> {
    const running = await runningServers(options.own);
    return new HomeServers(
      options,
      running.map(({ pid }) => serverOf(pid)),
    );
  }

  /** Lets their turns end and starts them anew. @throws HostError `timeout` when one is not ready as that version in time */
  async startAnew(version: string): Promise<void> {
    if (this.#found.length === 0) return;
    for (const { pid } of this.#found) this.#kill(pid, "SIGUSR2");
    const { drainMs, clock } = this.#options;
    let seenAt = clock.monotonic();
    let isReady = false;
    await this.#until(drainMs + HEALTHY_MS, async () => {
      isReady = await this.#areReady(version);
      if (this.#found.some(({ pid }) => this.#isThere(pid))) seenAt = clock.monotonic();
      // All have ended, and no service manager has started one: waiting mends nothing.
      return isReady || clock.monotonic() - seenAt > PATIENCE_MS;
    });
    if (!isReady)
      throw new HostError("timeout", `Version ${version} was not healthy on this home within a minute.`);
  }

  /** Ends what took their place. */
  async end(): Promise<void> {
    for (const { pid } of this.#found) {
      this.#kill(pid, "SIGTERM");
      if (!(await this.#until(PATIENCE_MS, () => Promise.resolve(!this.#isThere(pid)))))
        this.#kill(pid, "SIGKILL");
    }
  }

  /** Starts them as they were, unless their service manager does. @throws HostError `conflict` when they do not come back */
  async bringBack(version: string): Promise<void> {
    if (this.#found.length === 0) return;
    const isBack = (): Promise<boolean> => this.#areReady(version);
    if (await this.#until(PATIENCE_MS, isBack)) return;
    for (const { start } of this.#found)
      if (start !== undefined) leaveBehind(start.args, { ...this.#options.own, ...start });
    if (await this.#until(HEALTHY_MS, isBack)) return;
    throw new HostError("conflict", "Start the gateway again as it was started before.");
  }

  async #areReady(version: string): Promise<boolean> {
    const running = await runningServers(this.#options.own).catch(() => []);
    const ready = running.filter((server) => server.ready && server.version === version);
    return ready.length >= this.#found.length;
  }

  #kill(pid: number, signal: string): void {
    try {
      this.#options.own.machine.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }

  #isThere(pid: number): boolean {
    try {
      this.#options.own.machine.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }

  async #until(ms: number, isTrue: () => Promise<boolean>): Promise<boolean> {
    const { clock } = this.#options;
    const end = clock.monotonic() + ms;
    const { signal } = new AbortController();
    while (!(await isTrue())) {
      if (clock.monotonic() > end) return false;
      await sleep(clock, LOOK_MS, signal);
    }
    return true;
  }
}

async function runningServers(own: OwnProgram): Promise<readonly z.output<typeof Server>[]> {
  const signal = AbortSignal.timeout(ASK_MS);
  return z.array(Server).parse(await askOwnProgram(own, ["gateway", "status", "--json"], signal));
}

function serverOf(pid: number): HomeServer {
  try {
    const parts = (name: string): readonly string[] =>
      readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0").slice(0, -1);
    const [, ...args] = parts("cmdline");
    const env = Object.fromEntries(
      parts("environ").map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]),
    );
    return { pid, start: { args, env, cwd: readlinkSync(`/proc/${pid}/cwd`) } };
  } catch {
    // Another system, or another user's process.
    return { pid };
  }
}
