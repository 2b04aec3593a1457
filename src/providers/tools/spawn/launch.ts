import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Sandbox, WrappedProgram } from "../sandbox/port.ts";
import type { LiveProcess } from "./child.ts";
import type { FifoSupply } from "./fifo-supply.ts";
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
    await input?.release();
    throw error;
  }
}

/** Options of a launch, beside the program. */
export interface LaunchOptions {
  /** What is started, for errors. */
  readonly label: string;
  /** The first three; the program's descriptors follow. */
  readonly stdio: readonly (number | "pipe" | "ignore")[];
}

/**
 * Starts a program as the leader of a new session, which no terminal of the host's belongs to.
 *
 * @throws HostError `tool_failed` when it cannot be started
 */
export async function launch(
  { file, args, cwd, env, descriptors = [] }: LaunchPlan,
  { label, stdio }: LaunchOptions,
): Promise<LiveProcess> {
  try {
    const spawned = spawn(file, args, { cwd, env, detached: true, stdio: [...stdio, ...descriptors] });
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

const isLive = (spawned: ChildProcess): spawned is LiveProcess => spawned.pid !== undefined;
