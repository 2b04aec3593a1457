import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { BoundedOutput, type OutputLimits } from "./bounded-output.ts";
import type { SpawnedChild } from "./child.ts";
import type { Spawner, SpawnRequest } from "./spawner.ts";

/** The one who waits for a program, and may let it go on alone. */
interface Waiter {
  /** Aborts when it goes on alone. */
  readonly moved: AbortSignal;
  take(chunk: Uint8Array): void;
  began(child: SpawnedChild): void;
  /** A signal that ends the program with another one, as long as it is waited for. */
  lifeOf(signal: AbortSignal): AbortSignal;
}

/** A program that is run to its end, outside any tool call. */
export interface RunRequest extends Pick<SpawnRequest, "file" | "args" | "cwd" | "env" | "label"> {
  /** Milliseconds; without it, it runs until it ends. */
  readonly timeoutMs?: number;
  /** Told of both outputs as text, in the order in which they come. */
  readonly onOutput?: (text: string) => void;
  /** What of each of its outputs is kept. */
  readonly keep: OutputLimits;
  readonly signal: AbortSignal;
  /** Lets it go on in the background while it runs. */
  readonly front?: Waiter;
}

/** The exit of a program and its output. */
export interface RunEnd {
  /** The exit code; -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
}

/**
 * Runs a program and waits for it; its whole process tree is ended with it.
 *
 * @throws HostError `timeout`, `interrupted`, `tool_failed` when it cannot be started
 */
export async function runToEnd(
  { spawner, clock }: { readonly spawner: Spawner; readonly clock: Clock },
  { timeoutMs, keep, signal, onOutput, front, ...request }: RunRequest,
): Promise<RunEnd> {
  const stdout = new BoundedOutput(keep);
  const stderr = new BoundedOutput(keep);
  const decoders = new Map([stdout, stderr].map((output) => [output, new TextDecoder()]));
  const take = (output: BoundedOutput, chunk: Uint8Array): void => {
    output.append(chunk);
    front?.take(chunk);
    const text = decoders.get(output)?.decode(chunk, { stream: true }) ?? "";
    if (text !== "" && front?.moved.aborted !== true) onOutput?.(text);
  };
  const late = new AbortController();
  const life = AbortSignal.any([signal, late.signal]);
  const child = await spawner.spawn({
    ...request,
    session: "",
    output: (chunk) => take(stdout, chunk),
    errors: (chunk) => take(stderr, chunk),
    signal: front?.lifeOf(life) ?? life,
  });
  front?.began(child);
  const cancelTimer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, () => late.abort());
  try {
    const exit = await Promise.race([child.exited, movedOf(front)]);
    const code = exit?.code ?? -1;
    if (exit === undefined) return { code, stdout, stderr };
    if (signal.aborted) throw new HostError("interrupted", `${request.label} was interrupted.`);
    if (late.signal.aborted) {
      throw new HostError(
        "timeout",
        `${request.label} did not end within ${(timeoutMs ?? 0) / 1000} s; it was ended.`,
      );
    }
    return { code, stdout, stderr };
  } finally {
    cancelTimer?.();
  }
}

/** Resolves when nobody waits for it any more; never, when that cannot be. */
function movedOf(front: RunRequest["front"]): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  front?.moved.addEventListener("abort", () => resolve(undefined), { once: true });
  return promise;
}
