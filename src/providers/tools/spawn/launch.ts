import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Sandbox, WrappedProgram } from "../sandbox/port.ts";
import type { FifoSupply } from "./fifo-supply.ts";
import { type ForkServer, NotForkedError } from "./fork-server.ts";
import type { LiveProcess } from "./live-process.ts";
import type { PipeReader } from "./pipe-reader.ts";
import { pipeFromChild, pipeToChild, type ChildPipe } from "./pipes.ts";
import { spawnError } from "./spawn-error.ts";

/** A program as the system is told to start it: alone, or the walls with the program in them. */
export type LaunchPlan = Pick<WrappedProgram, "file" | "args" | "cwd" | "env"> & Partial<WrappedProgram>;

/** A program before its walls, if it gets any. */
export interface PlainProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly sandbox?: Sandbox | undefined;
  /** Both its outputs go to one place. */
  readonly joined: boolean;
  /** It certainly changes nothing. */
  readonly readsOnly: boolean;
  /** The variables that every child gets. */
  readonly base: Readonly<Record<string, string>>;
  /** Those of this program. */
  readonly env: Readonly<Record<string, string>>;
}

/** The one place that decides whether a program runs inside. */
export async function programOf({ sandbox, ...start }: PlainProgram): Promise<LaunchPlan> {
  const { file, args, cwd, base, env } = start;
  if (sandbox === undefined) return { file, args, cwd, env: { ...base, ...env } };
  return await sandbox.wrap(start);
}

/** Real pipes, where they were asked for and can be made. */
export interface Pipes {
  readonly input: ChildPipe<Socket> | undefined;
  readonly output: ChildPipe<PipeReader> | undefined;
}

/** The ends that a child shares with the host. */
export interface Ends {
  readonly writable: boolean;
  readonly joined: boolean;
}

export async function openPipes({ writable, joined }: Ends, fifos: FifoSupply): Promise<Pipes> {
  const input = writable ? await pipeToChild(fifos) : undefined;
  try {
    return { input, output: joined ? await pipeFromChild(fifos) : undefined };
  } catch (error) {
    input?.host.destroy();
    input?.release();
    throw error;
  }
}

/** Options of a launch, beside the program. */
export interface LaunchOptions {
  /** What is started, for errors. */
  readonly label: string;
  /** The first three; the program's descriptors follow. */
  readonly stdio: readonly (number | "pipe" | "ignore")[];
  /** Starts it for this process, where it can. */
  readonly forks?: ForkServer | undefined;
}

/**
 * Starts a program as the leader of a new session, which no terminal of the host's belongs to.
 *
 * @throws HostError `tool_failed` when it cannot be started
 */
export async function launch(plan: LaunchPlan, { label, stdio, forks }: LaunchOptions): Promise<LiveProcess> {
  const { file, args, cwd, env, descriptors = [] } = plan;
  try {
    const all = [...stdio, ...descriptors];
    const forked = forks?.isOpen === true ? await forkedBy(forks, plan, all) : undefined;
    if (forked !== undefined) return forked;
    const spawned = spawn(file, args, { cwd, env, detached: true, stdio: all });
    if (isLive(spawned)) {
      // After the start this only says that a signal could not be sent.
      spawned.on("error", () => undefined);
      return spawned;
    }
    const [error]: unknown[] = await once(spawned, "error");
    throw error;
  } catch (error) {
    throw spawnError(error, label);
  }
}

/** Runs a program to its end, without input and output; says whether it succeeded. */
export async function runQuietly(plan: LaunchPlan, forks: ForkServer | undefined): Promise<boolean> {
  try {
    const launched = await launch(plan, { label: plan.file, stdio: ["ignore", "ignore", "ignore"], forks });
    return (await exitOf(launched)) === 0;
  } catch {
    return false;
  }
}

/** Gives the exit code of a process that runs; `null` when a signal ended it. This process stays until then. */
export function exitOf(launched: LiveProcess): Promise<number | null> {
  launched.ref();
  return new Promise((resolve) => void launched.once("exit", resolve));
}

const isLive = (spawned: ChildProcess): spawned is ChildProcess & { readonly pid: number } =>
  spawned.pid !== undefined;

/** Has it started elsewhere; `undefined` when it has to be started here. */
async function forkedBy(
  forks: ForkServer,
  { file, args, cwd, env }: LaunchPlan,
  stdio: readonly (number | "pipe" | "ignore")[],
): Promise<LiveProcess | undefined> {
  // Pipes that Node makes have their ends here.
  const descriptors = stdio.filter((each) => each !== "pipe");
  if (descriptors.length < stdio.length) return undefined;
  try {
    return await forks.start({ file, args, cwd, env, descriptors });
  } catch (error) {
    if (error instanceof NotForkedError) return undefined;
    throw error;
  }
}
