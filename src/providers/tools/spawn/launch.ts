import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { WrappedProgram } from "../sandbox/port.ts";
import type { ForkServer, ChildEnd } from "./fork-server.ts";
import type { ChildOutput } from "./child.ts";
import type { FifoSupply } from "./fifo-supply.ts";
import type { PipeReader } from "./pipe-reader.ts";
import { type ChildPipe, pipeFromChild, pipeToChild } from "./pipes.ts";
import { spawnError } from "./spawn-error.ts";
import type { SpawnRequest } from "./spawn-request.ts";

/** A program as the system is told to start it: itself, or the walls with it in them. */
export type LaunchPlan = Pick<WrappedProgram, "file" | "args" | "cwd" | "env"> & Partial<WrappedProgram>;

/** A process that the system could start. */
export interface LaunchedProcess extends Partial<Pick<ChildProcess, "stdin" | "stdout" | "stderr">> {
  readonly pid: number;
  /** Its line in the system's table of processes, where that had to be read with its start. */
  readonly stat?: string;
  readonly ended: Promise<ChildEnd>;
}

/** Real pipes, where they were asked for and can be made. */
export interface Pipes {
  readonly input: ChildPipe<Socket> | undefined;
  readonly output: ChildPipe<PipeReader> | undefined;
}

/** The ways in which a program gets its descriptors and its process. */
export interface LaunchWays {
  readonly pipes: Pipes;
  /** It starts what uses none but real pipes. */
  readonly forks: ForkServer | undefined;
  /** The number of this process. */
  readonly hostPid: number;
}

export async function openPipes({ writable, errors }: SpawnRequest, fifos: FifoSupply): Promise<Pipes> {
  const input = writable === true ? await pipeToChild(fifos) : undefined;
  try {
    return { input, output: errors === undefined ? await pipeFromChild(fifos) : undefined };
  } catch (error) {
    input?.host.destroy();
    await input?.release();
    throw error;
  }
}

/** Starts the program as the leader of a new session, which no terminal of the host's belongs to. */
export async function launch(
  request: SpawnRequest,
  program: LaunchPlan,
  ways: LaunchWays,
): Promise<LaunchedProcess> {
  try {
    return (await startByServer(request, program, ways)) ?? (await startHere(request, program, ways.pipes));
  } catch (error) {
    throw error instanceof HostError ? error : spawnError(error, request.label);
  }
}

async function startByServer(
  { writable, errors }: SpawnRequest,
  { file, args, cwd, env, descriptors = [] }: LaunchPlan,
  { pipes: { input, output }, forks, hostPid }: LaunchWays,
): Promise<LaunchedProcess | undefined> {
  if (forks?.isReady !== true || output === undefined || errors !== undefined) return undefined;
  if (writable === true && input === undefined) return undefined;
  const own = (descriptor: number): string => `/proc/${hostPid}/fd/${descriptor}`;
  const read = (path: string) => ({ path, isWritten: false });
  const written = { path: own(output.childEnd), isWritten: true };
  return await forks.start({
    file,
    args,
    // What is this process's own is another's there.
    cwd: cwd.replace(/^\/proc\/self\//, `/proc/${hostPid}/`),
    env,
    files: [
      read(input === undefined ? "/dev/null" : own(input.childEnd)),
      written,
      written,
      ...descriptors.map((descriptor) => read(own(descriptor))),
    ],
  });
}

async function startHere(
  { writable }: SpawnRequest,
  { file, args, cwd, env, descriptors = [] }: LaunchPlan,
  pipes: Pipes,
): Promise<LaunchedProcess> {
  const input = pipes.input?.childEnd ?? (writable === true ? "pipe" : "ignore");
  const output = pipes.output?.childEnd ?? "pipe";
  const spawned = spawn(file, args, {
    cwd,
    env,
    detached: true,
    stdio: [input, output, output, ...descriptors],
  });
  const { pid, stdin, stdout, stderr } = spawned;
  if (pid === undefined) {
    const [error]: unknown[] = await once(spawned, "error");
    throw error;
  }
  // After the start this only says that a signal could not be sent.
  spawned.on("error", () => undefined);
  const { promise: ended, resolve } = Promise.withResolvers<ChildEnd>();
  spawned.once("exit", (code, signal) => resolve({ code, signal }));
  return { pid, stdin, stdout, stderr, ended };
}

/** The outputs of a started program, each with its receiver. */
export function outputsOf(
  { output, errors }: SpawnRequest,
  { stdout, stderr }: LaunchedProcess,
  pipes: Pipes,
): ChildOutput[] {
  if (pipes.output !== undefined) return [{ readable: pipes.output.host, sink: output }];
  return [
    ...(stdout == null ? [] : [{ readable: stdout, sink: output }]),
    ...(stderr == null ? [] : [{ readable: stderr, sink: errors ?? output }]),
  ];
}
