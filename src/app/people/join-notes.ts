import type { Knowledge } from "../../providers/knowledge/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** The notes that moved from one memory into another, and those that had no room or no right to stand there. */
export interface JoinedNotes {
  readonly joined: number;
  readonly left: number;
}

/**
 * Moves the notes of one memory into another. A note that is there already is not doubled; one that does not fit stays
 * where it was.
 */
export async function joinNotes(
  { memory }: Pick<Knowledge, "memory">,
  { from, to }: { readonly from: string; readonly to: string | undefined },
  signal: AbortSignal,
): Promise<JoinedNotes> {
  let [joined, left] = [0, 0];
  for (const target of ["memory", "user"] as const)
    for (const content of (await memory.file(target, from)).entries) {
      try {
        await memory.change({ action: "add", content }, { target, scope: to, signal });
        // Only what is written there goes here: a process that ends in between leaves a note in both, and the next join one.
        await memory.change({ action: "remove", oldText: content }, { target, scope: from, signal });
        joined += 1;
      } catch (thrown) {
        if (!(thrown instanceof HostError) || !STAYS.has(thrown.code)) throw thrown;
        left += 1;
      }
    }
  return { joined, left };
}

const STAYS: ReadonlySet<string> = new Set(["limit_exceeded", "invalid_params"]);
