import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { arch } from "node:os";
import { getSystemErrorName } from "node:util";
import type { Machine } from "../machine.ts";
import { findProgram } from "./find-program.ts";
import { forkArguments, FORK_PROGRAM } from "./fork-program.ts";
import { ForkedProcess } from "./live-process.ts";
import { MARKER } from "./process-tree.ts";

/** A program that is to be started, as the leader of a new session. */
export interface ForkRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute, or the reference of a directory that is open here. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its descriptors from 0 on: those that are open here, or nothing. The second and the third are written. */
  readonly descriptors: readonly (number | "ignore")[];
}

/** The system's folders of programs: what starts all others is not looked for anywhere else. */
const SYSTEM_PATH = "/usr/bin:/bin";
const LENGTH_BYTES = 4;

/** The failure to make ready what a program needs: it was not started, and may be in another way. */
export class NotForkedError extends Error {}

/**
 * A small process that starts programs for this one. The system copies the tables of a process's memory when that starts
 * another: from this one it takes milliseconds, in which nothing else happens here, and the more the larger it is.
 */
export class ForkServer {
  readonly #process: ChildProcess;
  readonly #pid: number;
  readonly #starting = new Map<string, PromiseWithResolvers<ForkedProcess>>();
  readonly #running = new Map<string, ForkedProcess>();
  /** Ids of starts, its own at first, and of processes that this one stays for. */
  readonly #holding = new Set([OWN]);
  readonly #ready = Promise.withResolvers<boolean>();
  #isOpen = false;
  #wasOpen = false;
  #unread: Buffer = Buffer.alloc(0);
  #lastId = 0;

  private constructor(started: ChildProcess, { pid }: Pick<Machine, "pid">) {
    this.#process = started;
    this.#pid = pid;
    started.on("error", () => this.#over());
    started.stdin?.on("error", () => undefined);
    started.stdout?.on("data", (bytes: Buffer) => this.#read(bytes));
    // Its programs hold its end of the pipe no longer than they take to begin.
    started.stdout?.once("close", () => this.#over());
    started.unref();
    this.#hold();
  }

  /** Starts it; `undefined` where there is none: it is for Linux, and needs Perl. */
  static start(machine: Pick<Machine, "env" | "pid" | "platform">): ForkServer | undefined {
    const args = machine.platform === "linux" ? forkArguments(arch()) : undefined;
    const perl = args && findProgram("perl", SYSTEM_PATH);
    if (args === undefined || perl === undefined) return undefined;
    const mark = machine.env[MARKER];
    const started = spawn(perl, ["-e", FORK_PROGRAM, ...args], {
      // A folder of its own choice would be kept from being removed.
      cwd: "/",
      env: { PATH: SYSTEM_PATH, ...(mark === undefined ? {} : { [MARKER]: mark }) },
      // No signal that the terminal sends to this process may reach it.
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    return new ForkServer(started, machine);
  }

  /** It takes requests. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** It took requests once, and was ended by somebody: another one would work. */
  get isLost(): boolean {
    return this.#wasOpen && !this.#isOpen;
  }

  /** Resolves when it takes requests, or will never do. */
  ready(): Promise<boolean> {
    return this.#ready.promise;
  }

  /**
   * Starts a program.
   *
   * @throws an error with the system's `code` when the program cannot be started, `NotForkedError` when it can be tried in
   * another way
   */
  start(request: ForkRequest): Promise<ForkedProcess> {
    const { file, args, cwd, env } = request;
    // Such a text would end early.
    if ([file, cwd, ...args, ...Object.entries(env).flat()].some((text) => text.includes("\0")))
      return Promise.reject(new NotForkedError("a text has a NUL character"));
    this.#lastId += 1;
    const id = String(this.#lastId);
    const starting = Promise.withResolvers<ForkedProcess>();
    this.#starting.set(id, starting);
    this.#holding.add(id);
    this.#hold();
    this.#process.stdin?.write(this.#encode(id, request));
    return starting.promise;
  }

  /** Ends it, not what it has started. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#process.stdin?.end();
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const over = once(this.#process, "exit");
    this.#process.ref();
    this.#process.kill("SIGKILL");
    await over;
  }

  #encode(id: string, { file, args, cwd, env, descriptors }: ForkRequest): Buffer {
    const own = (path: string): string => path.replace(/^\/proc\/self\//, `/proc/${this.#pid}/`);
    const paths = descriptors.map((each) => (each === "ignore" ? "/dev/null" : own(`/proc/self/fd/${each}`)));
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const counted = (list: readonly string[]): readonly string[] => [String(list.length), ...list];
    const parts = [id, own(cwd), ...counted(paths), ...counted(variables), file, ...args];
    const text = Buffer.from(parts.map((part) => `${part}\0`).join(""));
    const frame = Buffer.alloc(LENGTH_BYTES + text.length);
    frame.writeUInt32BE(text.length);
    text.copy(frame, LENGTH_BYTES);
    return frame;
  }

  #read(bytes: Buffer): void {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    while (this.#unread.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + this.#unread.readUInt32BE();
      if (this.#unread.length < end) return;
      this.#take(this.#unread.toString("latin1", LENGTH_BYTES, end));
      this.#unread = this.#unread.subarray(end);
    }
  }

  #take(message: string): void {
    const [, kind, id = "", number = "", stat = ""] = /^(\w) ?(\S*) ?(\d*) ?(.*)$/s.exec(message) ?? [];
    switch (kind) {
      case "r":
        this.#isOpen = true;
        this.#wasOpen = true;
        this.#letGo(OWN);
        return this.#ready.resolve(true);
      case "s":
        return this.#begun(id, { pid: Number(number), stat });
      case "x":
        return this.#ended(id, Number(number));
      default:
        return this.#failed(id, kind === "p" ? new NotForkedError(message) : systemError(Number(number)));
    }
  }

  #begun(id: string, start: { readonly pid: number; readonly stat: string }): void {
    const process = new ForkedProcess(start, (holds) => {
      if (!this.#running.has(id)) return;
      if (!holds) return this.#letGo(id);
      this.#holding.add(id);
      this.#hold();
    });
    this.#running.set(id, process);
    this.#starting.get(id)?.resolve(process);
    this.#starting.delete(id);
  }

  #failed(id: string, error: Error): void {
    this.#starting.get(id)?.reject(error);
    this.#starting.delete(id);
    this.#letGo(id);
  }

  #ended(id: string, status: number): void {
    this.#running.get(id)?.ended(status);
    this.#running.delete(id);
    this.#letGo(id);
  }

  #letGo(id: string): void {
    this.#holding.delete(id);
    this.#hold();
  }

  /** Somebody has ended it: how its programs end nobody hears any more, and they are ended with what they left. */
  #over(): void {
    this.#isOpen = false;
    this.#letGo(OWN);
    this.#ready.resolve(false);
    for (const id of this.#starting.keys()) this.#failed(id, new Error("what starts programs was ended"));
    for (const id of this.#running.keys()) this.#ended(id, KILLED);
  }

  /** This process stays while somebody waits for an end. */
  #hold(): void {
    // Node types it as a stream; it is a socket.
    const stdout = this.#process.stdout as unknown as { ref(): void; unref(): void } | null;
    const stdin = this.#process.stdin as unknown as { unref(): void } | null;
    stdin?.unref();
    if (this.#holding.size > 0) stdout?.ref();
    else stdout?.unref();
  }
}

const OWN = "0";
const KILLED = 9;

function systemError(errno: number): Error {
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(code), { code });
}
