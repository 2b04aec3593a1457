import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { ChildRecord, DeadHost } from "../../../core/index.ts";
import type { Machine } from "../machine.ts";
import type { Sandbox } from "../sandbox/port.ts";
import { type ChildOutput, SpawnedChild } from "./child.ts";
import type { OutputSink } from "./drain.ts";
import { childEnvironment } from "./environment.ts";
import { FifoSupply } from "./fifo-supply.ts";
import { ForkServer } from "./fork-server.ts";
import type { LiveProcess } from "./live-process.ts";
import { processTable, type ProcessStart } from "./process-table.ts";
import { killTree, MARKER, treeMembers, type Tree, type TreeTools } from "./process-tree.ts";
import { openPipes, type Pipes, programOf, type LaunchPlan, launch, runQuietly } from "./launch.ts";
import { type WarmPlace, WarmStarts } from "./warm-starts.ts";
import { Watchdog } from "./watchdog.ts";

/** A program that is to be started. */
export interface SpawnRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute, or the reference of an open directory. */
  readonly cwd: string;
  /** Beside what every child gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** It gets `env` and nothing else. */
  readonly bareEnvironment?: boolean;
  /** What is started, for the ledger and for errors. */
  readonly label: string;
  readonly session: string;
  /** The child's standard input can be written; without it, it reads an empty file. */
  readonly writable?: boolean;
  readonly output: OutputSink;
  /** Without it, both outputs of the child go to `output`, in the order in which they were written. */
  readonly errors?: OutputSink;
  readonly signal: AbortSignal;
  /** The walls around it; without them it runs as the user, with all that the user may do. */
  readonly sandbox?: Sandbox | undefined;
  /** Others like it are likely to follow: walls for the next one are put up when this one is over. */
  readonly warm?: boolean;
  /** It certainly changes nothing. */
  readonly readsOnly?: boolean;
}

/** The record of running children. The next host on this home finds them there. */
export interface ChildLedger {
  record(child: ChildRecord): Promise<void>;
  forget(pid: number): Promise<void>;
}

/** Options of the spawner. */
export interface SpawnerOptions {
  readonly machine: Machine;
  readonly clock: Clock;
  /** This host among those of all times. */
  readonly hostId: string;
  /** For pipes, which have a name there for a moment. */
  readonly tempDir: string;
  readonly ledger?: ChildLedger;
  /** Milliseconds that a child gets to end by itself when it is told to; 2000 by default. */
  readonly graceMs?: number;
  /** Variables that children may see beside the usual ones. */
  readonly environment?: readonly string[];
  /**
   * The program, with its arguments, that is started when this process is killed before it has ended its children.
   * Without one they live until the next life of the host finds them.
   */
  readonly reaper?: readonly string[];
}

/** The processes that a dead host left behind. */
export type DeadHostProcesses = Pick<DeadHost, "hostId" | "children">;

/** The only place where processes are started, and the one that ends them. Disposing it ends all of them. */
export class Spawner implements AsyncDisposable {
  readonly #options: SpawnerOptions;
  readonly #tools: TreeTools;
  readonly #fifos: FifoSupply;
  readonly #warm: WarmStarts;
  readonly #running = new Set<SpawnedChild>();
  /** Entries of the ledger that are being taken out. */
  readonly #forgetting = new Set<Promise<void>>();
  #count = 0;
  #watchdog: Watchdog | undefined;
  #forks: ForkServer | undefined;
  #isClosed = false;

  constructor(options: SpawnerOptions) {
    this.#options = options;
    const { machine, clock, graceMs, tempDir, environment } = options;
    const grace = graceMs === undefined ? {} : { graceMs };
    this.#tools = { machine, clock, table: processTable(machine.platform), ...grace };
    const env = childEnvironment(machine.env, environment);
    const run = (file: string, args: readonly string[]): Promise<boolean> =>
      runQuietly({ file, args, cwd: "/", env }, this.#forks);
    this.#fifos = new FifoSupply({ tempDir, platform: machine.platform, run });
    const marked = (variables: Marked["env"]): Marked => this.#marked(variables);
    const forks = (): ForkServer | undefined => this.#forks;
    this.#warm = new WarmStarts({ fifos: this.#fifos, clock, machine, marked, forks });
  }

  /** This host among those of all times. */
  get hostId(): string {
    return this.#options.hostId;
  }

  /**
   * Starts a program in a process group of its own.
   *
   * @throws HostError `tool_failed` when it cannot be started, `interrupted` when the signal is aborted already
   */
  async spawn(request: SpawnRequest): Promise<SpawnedChild> {
    const { machine, environment, reaper } = this.#options;
    const base = childEnvironment(machine.env, environment);
    if (reaper !== undefined) this.#watchdog ??= new Watchdog(reaper, base);
    const { file, args, cwd, sandbox, errors, env = {}, bareEnvironment } = request;
    const { warm = false, readsOnly = false } = request;
    const place = { cwd, base: bareEnvironment === true ? {} : base, env };
    const { marker, env: marked } = this.#marked(env);
    const joined = errors === undefined;
    const program = await programOf({ ...place, env: marked, file, args, sandbox, joined, readsOnly });
    const { walls } = program;
    // What waits has no input, and one output.
    const isPlain = joined && request.writable !== true;
    const next = warm && isPlain && sandbox && walls ? { ...place, sandbox, walls } : undefined;
    const [child, recorded] = await this.#begin(request, { program, marker, next });
    try {
      await recorded;
    } catch (error) {
      // What is not noted must not run: the next life would not find it.
      await child.kill();
      throw error;
    }
    const prepare = (): void => {
      void this.prepare();
      if (next !== undefined) this.#warm.prepare(next);
    };
    child.exited.then(prepare, prepare);
    return child;
  }

  /** Starts what starts programs, so that the next ones begin sooner; resolves when it is there, or cannot be. */
  async prepare(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#forks === undefined || this.#forks.isLost)
      this.#forks = ForkServer.start(this.#options.machine);
    await this.#forks?.ready();
  }

  /** Ends what a dead host left running. Resolves with the number of processes that were found. */
  async reap({ hostId, children }: DeadHostProcesses): Promise<number> {
    const own = `${this.#options.hostId}.`;
    const isMarked = (words: readonly string[]): boolean =>
      words.some((word) => word.startsWith(`${hostId}.`)) && !words.some((word) => word.startsWith(own));
    const groups = children.flatMap(({ pid, startedAt }): Tree[] => {
      const birth = this.#tools.table.birthOf(startedAt);
      return birth === undefined ? [] : [{ leader: { pid, birth }, isMarked: () => false }];
    });
    const found = new Set<number>();
    for (const tree of [{ isMarked }, ...groups]) {
      const members = await treeMembers(tree, this.#tools);
      for (const { pid } of members) found.add(pid);
      if (members.length > 0) await killTree(tree, this.#tools);
    }
    return found.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#warm.close(), ...[...this.#running].map((child) => child.kill())]);
    await Promise.all([...this.#forgetting, this.#fifos.close(), this.#forks?.close()]);
    this.#watchdog?.stop();
  }

  /** Adds a mark to the variables of a program, by which all that comes of it is found. */
  #marked(env: Readonly<Record<string, string>>): Marked {
    const { machine, hostId } = this.#options;
    this.#count += 1;
    const marker = `${hostId}.${this.#count}`;
    // A host that was started by another one is still found by that one, with all its children.
    const chain = [machine.env[MARKER], marker].filter((word) => word !== undefined).join(" ");
    return { marker, env: { ...env, [MARKER]: chain } };
  }

  /** Starts a program, or makes it of one that waits in the same walls. */
  async #begin(
    request: SpawnRequest,
    { program, marker, next }: Planned,
  ): Promise<[SpawnedChild, Promise<void>]> {
    const { label, signal, writable = false, errors } = request;
    const ready = next && this.#warm.take(next, [request.file, ...request.args]);
    let pipes: Pipes = { input: undefined, output: ready?.output };
    try {
      if (ready === undefined)
        pipes = await openPipes({ writable, joined: errors === undefined }, this.#fifos);
      if (signal.aborted) throw new HostError("interrupted", `${label} was not started`);
      const spawned =
        ready?.begin() ??
        (await launch(program, { label, stdio: stdioOf(writable, pipes), forks: this.#forks }));
      // Nothing may be awaited before its events are listened to.
      return this.#adopt(request, { spawned, pipes, marker: ready?.marker ?? marker, program });
    } catch (error) {
      pipes.input?.host.destroy();
      pipes.output?.host.destroy();
      await ready?.drop();
      throw error;
    } finally {
      program.release?.();
      pipes.input?.release();
      if (ready === undefined) pipes.output?.release();
    }
  }

  #adopt(request: SpawnRequest, started: Started): [SpawnedChild, Promise<void>] {
    const { spawned, marker } = started;
    const { pid, stat } = spawned;
    const birth = this.#tools.table.birth(pid, stat);
    const recorded = this.#record(request, pid, birth);
    // Waited for by `spawn`, after it has let go of the pipe.
    recorded.catch(() => undefined);
    const life = new AbortController();
    const child: SpawnedChild = new SpawnedChild({
      spawned,
      tree: birth.then((birth = UNKNOWN) => ({
        leader: { pid, birth },
        isMarked: (words) => words.includes(marker),
      })),
      input: started.pipes.input?.host ?? spawned.stdin ?? undefined,
      outputs: outputsOf(request, started),
      tools: this.#tools,
      end: started.program.end,
      findings: started.program.findings,
      onGone: () => {
        life.abort();
        this.#running.delete(child);
        this.#forget(pid, recorded);
      },
    });
    this.#running.add(child);
    // A kill that failed was tried many times; the ledger keeps the child for the next life.
    const stop = (): void => void child.kill().catch(() => undefined);
    request.signal.addEventListener("abort", stop, { signal: life.signal });
    // It may have come while the program was started.
    if (request.signal.aborted) stop();
    return [child, recorded];
  }

  async #record(
    { session, label }: SpawnRequest,
    pid: number,
    birth: Promise<ProcessStart | undefined>,
  ): Promise<void> {
    const startedAt = (await birth)?.mark;
    if (startedAt !== undefined) await this.#options.ledger?.record({ pid, startedAt, session, label });
  }

  #forget(pid: number, recorded: Promise<void>): void {
    const forgetting = recorded
      .then(() => this.#options.ledger?.forget(pid))
      // A stale entry does no harm: its process is looked at before anything is ended.
      .catch(() => undefined)
      .finally(() => this.#forgetting.delete(forgetting));
    this.#forgetting.add(forgetting);
  }
}

/** A child that was over before the system could be asked; whoever has its number now is somebody else. */
const UNKNOWN: ProcessStart = { started: 0, mark: "" };

interface Marked {
  readonly marker: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Planned extends Pick<Started, "program" | "marker"> {
  /** What the next one like it would be started with, where it can be started ahead. */
  readonly next: WarmPlace | undefined;
}

interface Started {
  readonly spawned: LiveProcess;
  readonly pipes: Pipes;
  readonly marker: string;
  readonly program: LaunchPlan;
}

function stdioOf(writable: boolean, { input, output }: Pipes): readonly (number | "pipe" | "ignore")[] {
  const out = output?.childEnd ?? "pipe";
  return [input?.childEnd ?? (writable ? "pipe" : "ignore"), out, out];
}

function outputsOf({ output, errors }: SpawnRequest, { spawned, pipes }: Started): ChildOutput[] {
  if (pipes.output !== undefined) return [{ readable: pipes.output.host, sink: output }];
  const { stdout, stderr } = spawned;
  return [
    ...(stdout === null ? [] : [{ readable: stdout, sink: output }]),
    ...(stderr === null ? [] : [{ readable: stderr, sink: errors ?? output }]),
  ];
}
