import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { endWithTest } from "../../kit/end-with-test.ts";
import { startTcpProxy, type TcpProxy } from "../../kit/tcp-proxy.ts";
import { readersOf } from "./history-file.ts";
import type { FromHost, HostTask, ReaderTask, ToHost } from "./messages.ts";

const PROGRAM = join(import.meta.dirname, "programs/host.ts");

/** What the machines of a cluster have in common. */
export interface ClusterSettings {
  /** The address of the database; each machine reaches it by a line of its own. */
  readonly url: string;
  readonly folder: string;
  readonly speed: number;
  readonly clients: number;
  readonly sessions: readonly string[];
}

/** A machine: its line to the database, the way of other machines to it, and the process of a host. */
export class Machine implements AsyncDisposable {
  readonly name: string;
  readonly line: TcpProxy;
  /** On which the others reach it. */
  readonly way: TcpProxy;
  /** The histories of all hosts that ran on it. */
  readonly files: string[] = [];
  readonly #settings: ClusterSettings;
  readonly #errors: string[] = [];
  readonly #crashes: string[] = [];
  #readers: readonly ReaderTask[];
  #host: ChildProcess;
  #hosts = 0;
  #turned = 0;
  #near = 0;

  private constructor(name: string, { line, way }: Lines, { settings, readers }: MachineOptions) {
    this.name = name;
    this.line = line;
    this.way = way;
    this.#settings = settings;
    this.#readers = readers;
    this.#host = this.#start();
  }

  /** Starts a machine; resolves once its host works. */
  static async start(name: string, options: MachineOptions): Promise<Machine> {
    const line = await startTcpProxy(Number(new URL(options.settings.url).port));
    // Its target comes with the host.
    const way = await startTcpProxy(0);
    const machine = new Machine(name, { line, way }, options);
    await machine.#says("ready");
    return machine;
  }

  /** What its hosts said on stderr. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** Hosts of it that ended by themselves. */
  get crashes(): readonly string[] {
    return this.#crashes;
  }

  /** How often its readers were shown something that came from the host that drove it, and not from the store. */
  get near(): number {
    return this.#near;
  }

  /** Turns the machine's clock, to what is wrong by so many milliseconds. */
  turnClock(by: number): void {
    this.#turned = by;
    this.#tell({ type: "turn", by });
  }

  /** Kills the host as a machine does that loses its power, and starts another one, whose readers go on. */
  async killHost(): Promise<void> {
    await this.#end();
    const cursors = readersOf(this.files.at(-1) ?? "");
    this.#readers = this.#readers.map((reader) => ({
      ...reader,
      after: cursors.get(reader.name) ?? reader.after,
    }));
    this.#host = this.#start();
  }

  stopHost(): void {
    this.#host.kill("SIGSTOP");
  }

  continueHost(): void {
    this.#host.kill("SIGCONT");
  }

  async rest(): Promise<void> {
    await this.#ask({ type: "rest" }, "resting");
  }

  /** Ends its host in order; gives what its readers were not shown. */
  async finish(heads: Readonly<Record<string, number>>): Promise<readonly string[]> {
    const closed = this.#says("closed");
    const { behind, near } = await this.#ask({ type: "finish", heads }, "finished");
    await closed;
    this.#near += near;
    return behind.map((each) => `${this.name}: ${each}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    await this.line[Symbol.asyncDispose]();
    await this.way[Symbol.asyncDispose]();
  }

  async #end(): Promise<void> {
    if (this.#host.exitCode !== null || this.#host.signalCode !== null) return;
    const gone = once(this.#host, "exit");
    this.#host.kill("SIGKILL");
    await gone;
  }

  #start(): ChildProcess {
    const { folder, speed, clients, sessions } = this.#settings;
    const url = new URL(this.#settings.url);
    url.port = String(this.line.port);
    this.#hosts += 1;
    const name = `${this.name}-${this.#hosts}`;
    const file = join(folder, `${name}.jsonl`);
    // One that is killed before it begins has a history all the same.
    writeFileSync(file, "");
    this.files.push(file);
    const task: HostTask = {
      name,
      url: url.href,
      advertise: `http://127.0.0.1:${this.way.port}`,
      file,
      speed,
      turned: this.#turned,
      clients,
      sessions,
      readers: this.#readers,
    };
    const host = fork(PROGRAM, [JSON.stringify(task)], {
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    endWithTest(() => host.kill("SIGKILL"));
    host.stderr?.setEncoding("utf8").on("data", (text: string) => this.#errors.push(`${name}: ${text}`));
    host.on("message", (message: FromHost) => {
      if (message.type === "listening") this.way.point(message.port);
    });
    host.on("exit", (code) => {
      if (code !== 0 && code !== null) this.#crashes.push(`${name} ended by itself, with code ${code}`);
    });
    return host;
  }

  async #ask<T extends FromHost["type"]>(
    message: ToHost,
    answer: T,
  ): Promise<Extract<FromHost, { type: T }>> {
    const said = this.#says(answer);
    this.#tell(message);
    return await said;
  }

  #tell(message: ToHost): void {
    // One that is just killed does not hear it.
    this.#host.send(message, () => undefined);
  }

  #says<T extends FromHost["type"]>(type: T): Promise<Extract<FromHost, { type: T }>> {
    const { promise, resolve, reject } = Promise.withResolvers<Extract<FromHost, { type: T }>>();
    const host = this.#host;
    host.on("message", (message: FromHost) => {
      if (isOf(message, type)) resolve(message);
    });
    host.once("exit", () =>
      reject(new Error(`${this.name} ended before it was ${type}.\n${this.errors.join("")}`)),
    );
    return promise;
  }
}

interface Lines {
  readonly line: TcpProxy;
  readonly way: TcpProxy;
}

interface MachineOptions {
  readonly settings: ClusterSettings;
  readonly readers: readonly ReaderTask[];
}

const isOf = <T extends FromHost["type"]>(
  message: FromHost,
  type: T,
): message is Extract<FromHost, { type: T }> => message.type === type;
