import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readlinkSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import type { Machine } from "../machine.ts";
import { FORK_PROGRAM } from "./fork-program.ts";

/** The end of a process, as its parent learns of it. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A program that the fork server is to start, as the leader of a new session. */
export interface ForkRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What becomes its descriptors from 0 on: paths that the fork server can open. */
  readonly files: readonly { readonly path: string; readonly isWritten: boolean }[];
}

/** A process that the fork server has started. */
export interface ForkedProcess {
  readonly pid: number;
  /** Its line in the system's table, read before anybody else could get its number. */
  readonly stat: string;
  readonly ended: Promise<ChildEnd>;
}

const PERL = "/usr/bin/perl";
/** Its end when the fork server is gone, which took the news with it. */
const UNKNOWN_END: ChildEnd = { code: null, signal: "SIGHUP" };

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * A small process that starts programs in the place of this one. The system copies the tables of a process's memory when it
 * starts another one, while the process stands still: this one has tens of times the memory.
 */
export class ForkServer {
  readonly #child: ChildProcess;
  readonly #starting = new Map<string, PromiseWithResolvers<ForkedProcess | undefined>>();
  readonly #running = new Map<number, (end: ChildEnd) => void>();
  #state: "begins" | "ready" | "over" = "begins";
  #count = 0;
  #text = "";

  /** @param env - its own variables, which no program gets from it */
  constructor(env: Readonly<Record<string, string>>) {
    this.#child = spawn(PERL, ["-e", FORK_PROGRAM], {
      // A folder of its own choice would be kept from being removed.
      cwd: "/",
      env,
      // No signal that the terminal sends to this process may reach it.
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const over = (): void => this.#end();
    this.#child.on("error", over).on("exit", over);
    this.#child.stdin?.on("error", over);
    this.#child.stdout?.setEncoding("latin1").on("data", (text: string) => this.#take(text));
    this.#child.unref();
    this.#hold();
  }

  /** Whether there can be one here: it has to reach the files of this process by its number. */
  static isPossible({ platform, pid }: Pick<Machine, "platform" | "pid">): boolean {
    if (platform !== "linux" || !existsSync(PERL) || !existsSync("/proc/self")) return false;
    // The table may be that of another namespace, where the number is somebody else's.
    return readlinkSync("/proc/self") === String(pid);
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /**
   * Starts a program; gives `undefined` when one of the files could not be opened, and nothing was begun.
   *
   * @throws an error of the system when it cannot be started, HostError `tool_failed` when the server is gone
   */
  async start({ file, args, cwd, env, files }: ForkRequest): Promise<ForkedProcess | undefined> {
    this.#count += 1;
    const id = String(this.#count);
    const names = files.map(({ path, isWritten }) => `${isWritten ? "w" : "r"}${path}`);
    const words = [file, ...args];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const fields = [id, cwd, names.length, ...names, words.length, ...words, ...variables];
    // Node says of such a word what is wrong with it.
    if (fields.some((field) => String(field).includes("\0"))) return undefined;
    const body = Buffer.from(fields.join("\0"));
    const frame = Buffer.allocUnsafe(4 + body.length);
    frame.writeUInt32BE(body.length);
    body.copy(frame, 4);
    const started = Promise.withResolvers<ForkedProcess | undefined>();
    this.#starting.set(id, started);
    this.#hold();
    if (this.#state === "over") this.#end();
    else this.#child.stdin?.write(frame);
    return await started.promise;
  }

  /** Ends it, when all that it started is over. */
  stop(): void {
    this.#child.kill("SIGKILL");
  }

  #take(text: string): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) this.#answer(line);
    this.#hold();
  }

  #answer(line: string): void {
    const [word, number = "", ...rest] = line.split(" ");
    if (word === "ready") this.#state = "ready";
    if (word === "ended") {
      const resolve = this.#running.get(Number(number));
      this.#running.delete(Number(number));
      resolve?.(endOf(Number(rest[0])));
      return;
    }
    const starting = this.#starting.get(number);
    this.#starting.delete(number);
    if (word === "started") {
      const pid = Number(rest[0]);
      const { promise: ended, resolve } = Promise.withResolvers<ChildEnd>();
      this.#running.set(pid, resolve);
      starting?.resolve({ pid, stat: rest.slice(1).join(" "), ended });
    } else if (word === "failed") starting?.reject(systemError(Number(rest[0])));
    else starting?.resolve(undefined);
  }

  /** This process does not end while it waits for one that was started. */
  #hold(): void {
    const { stdin, stdout } = this.#child;
    const isNeeded = this.#starting.size + this.#running.size > 0;
    if (stdin instanceof Socket) stdin.unref();
    if (!(stdout instanceof Socket)) return;
    if (isNeeded) stdout.ref();
    else stdout.unref();
  }

  #end(): void {
    this.#state = "over";
    const starting = [...this.#starting.values()];
    const running = [...this.#running.values()];
    this.#starting.clear();
    this.#running.clear();
    for (const { reject } of starting)
      reject(toolFailed("The process that starts programs has ended; call it again"));
    for (const resolve of running) resolve(UNKNOWN_END);
  }
}

/** What a status says, as `wait` gives it (see wait(2)). */
function endOf(status: number): ChildEnd {
  const signal = status & 0x7f;
  return signal === 0
    ? { code: status >> 8, signal: null }
    : { code: null, signal: SIGNALS.get(signal) ?? `signal ${signal}` };
}

function systemError(number: number): Error {
  const code = getSystemErrorName(-number);
  return Object.assign(new Error(code), { code });
}
