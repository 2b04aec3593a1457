import { untilAborted } from "../../../shared/async/deadline.ts";
import type { Signal } from "../../../shared/async/signal.ts";
import { type Clock, sleep } from "../../../shared/async/clock.ts";
import type { ToolProgress } from "../../../core/index.ts";
import type { BoundedOutput } from "../spawn/bounded-output.ts";
import type { Exit, SpawnedChild } from "../spawn/child.ts";
import { previewOf } from "./output-text.ts";

/** The end of a command: its exit, or that it is still being ended. */
export type CommandEnd =
  | { readonly kind: "exited"; readonly exit: Exit }
  | { readonly kind: "interrupted" }
  /** It goes on in the background. */
  | { readonly kind: "moved" }
  | { readonly kind: "lost" };

/** Milliseconds between two previews. */
const PREVIEW_EVERY = 100;
/** Bytes of its output that are shown of a command that prints faster than anybody could follow. */
const NEWEST = 8 * 1024;
/** Milliseconds that a command gets to end when its turn does; it is ended in any case, seen or not. */
const ABORT_GRACE = 800;
/** Milliseconds after its time is over by which a command has ended, TERM and KILL included. */
const KILL_GRACE = 5000;

/** Waits for a command, but never longer than its turn and its time allow. */
export async function endOf(
  child: SpawnedChild,
  limits: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly timeUp: AbortSignal;
    readonly moved: AbortSignal;
  },
): Promise<CommandEnd> {
  const { clock, signal, timeUp, moved } = limits;
  const over = new AbortController();
  const after = async (event: AbortSignal, ms: number): Promise<void> => {
    await untilAborted(event, over.signal);
    await sleep(clock, ms, over.signal);
  };
  try {
    return await Promise.race([
      exitOf(child, timeUp),
      untilAborted(moved, over.signal).then(() => ({ kind: "moved" }) as const),
      after(signal, ABORT_GRACE).then(() => ({ kind: "interrupted" }) as const),
      after(timeUp, KILL_GRACE).then(() => ({ kind: "lost" }) as const),
    ]);
  } finally {
    over.abort();
  }
}

/** Whose time is over has ended when all of its processes have. */
async function exitOf(child: SpawnedChild, timeUp: AbortSignal): Promise<CommandEnd> {
  const exit = await child.exited;
  if (timeUp.aborted) await child.kill();
  return { kind: "exited", exit };
}

/** Shows the newest lines of what a command prints, until it ends. */
export async function* watch(
  ending: Promise<CommandEnd>,
  { clock, bell, output }: { readonly clock: Clock; readonly bell: Signal; readonly output: BoundedOutput },
): AsyncGenerator<ToolProgress, CommandEnd, void> {
  const over = new AbortController();
  ending.finally(() => over.abort()).catch(() => undefined);
  let seen = 0;
  let shown = 0;
  while (!over.signal.aborted) {
    if (output.total === seen) await bell.wait(over.signal);
    if (over.signal.aborted || output.total === seen) continue;
    const isBeginning = shown === 0;
    const { text, next, missed } = output.following(shown, NEWEST);
    shown = next;
    // Behind the beginning more may wait, which nothing rings for any more.
    seen = isBeginning ? next : output.total;
    const gap = missed === 0 ? "" : `\n[… some ${missed} bytes left out …]\n`;
    yield { preview: previewOf(output), output: gap + text };
    await sleep(clock, PREVIEW_EVERY, over.signal);
  }
  return await ending;
}
