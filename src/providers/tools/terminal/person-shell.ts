import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { Machine } from "../machine.ts";
import { hardBlockReason } from "../command-policy/hard-block/hard-block.ts";
import { decodeEnds } from "../spawn/bounded-output.ts";
import { childEnvironment } from "../spawn/environment.ts";
import { findProgram } from "../spawn/find-program.ts";
import { runToEnd } from "../spawn/run-to-end.ts";
import type { BackgroundProcesses } from "./background.ts";
import type { Spawner } from "../spawn/spawner.ts";
import { surroundingsOn } from "./terminal-permit.ts";

/** The services that run a person's command. */
export interface PersonShellOptions {
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly background?: Pick<BackgroundProcesses, "front">;
}

/** A command that a person typed. */
export interface PersonCommand {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  /** Milliseconds; without it, the command runs until it ends. */
  readonly timeoutMs?: number;
  /** Characters of each output that are kept: the last ones. */
  readonly keep: number;
  readonly signal: AbortSignal;
  /** Told of both outputs, in the order in which they come. */
  readonly onOutput?: (text: string) => void;
  /** The session in whose background it can go on, and the name under which it is asked to. */
  readonly front?: { readonly session: string; readonly key: string };
}

const BYTES_PER_CHARACTER = 4;

/**
 * Runs what a person typed, not a model: nobody is asked, but what never runs does not run here either.
 *
 * @throws HostError `outside_workspace` for a command that never runs, `timeout`, `interrupted`, `tool_failed`
 */
export async function runForPerson(
  { machine, spawner, clock, background }: PersonShellOptions,
  { command, cwd, timeoutMs, keep, signal, onOutput, front: place }: PersonCommand,
): Promise<{
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Its id in the background, where it goes on. */
  readonly background?: string;
}> {
  const forbidden = hardBlockReason(command, surroundingsOn(machine, { cwd, roots: [cwd] }));
  if (forbidden !== undefined) {
    throw new HostError("outside_workspace", `Not run, and it never will be: ${forbidden}.`);
  }
  const path = childEnvironment(machine.env)["PATH"];
  const file = findProgram("bash", path) ?? findProgram("sh", path) ?? "/bin/sh";
  const limits = { head: 0, tail: keep * BYTES_PER_CHARACTER };
  const label = command.slice(0, 80);
  using front = place === undefined ? undefined : background?.front({ ...place, command });
  const request = {
    file,
    args: ["-c", command],
    cwd,
    label,
    signal,
    ...defined({ timeoutMs, onOutput, front }),
  };
  const { code, stdout, stderr } = await runToEnd({ spawner, clock }, { ...request, keep: limits });
  const last = (output: typeof stdout): string => {
    const { head, tail } = decodeEnds(output);
    return `${head}${tail}`.slice(-keep).toWellFormed();
  };
  return { code, stdout: last(stdout), stderr: last(stderr), ...defined({ background: front?.id }) };
}
