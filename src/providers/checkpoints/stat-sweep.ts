import { lstatSync } from "node:fs";
import { type BytePath, systemPath } from "./file-state.ts";
import { matchesSign, SIGN_LENGTH } from "./signs.ts";

const QUIET = { throwIfNoEntry: false } as const;

/** Paths by slot, whole, ready for the system; `undefined` where a slot is free. */
export type SlotPaths = (string | Buffer | undefined)[];

export const slotPath = (root: BytePath, path: BytePath): string | Buffer =>
  systemPath(path === "" ? root : `${root}/${path}`);

/** The slots in `[from, to)` whose entries may have changed, or are gone. */
export function changedSlots(
  paths: SlotPaths,
  view: Float64Array,
  { from, to }: { readonly from: number; readonly to: number },
): readonly number[] {
  const changed: number[] = [];
  for (let slot = from; slot < to; slot += 1) {
    const path = paths[slot];
    if (path !== undefined && !isUnchanged(path, view, slot)) changed.push(slot);
  }
  return changed;
}

function isUnchanged(path: string | Buffer, view: Float64Array, slot: number): boolean {
  try {
    const stat = lstatSync(path, QUIET);
    return stat !== undefined && matchesSign(view, slot * SIGN_LENGTH, stat);
  } catch {
    // A folder on the way is none any more, or may not be entered: whoever looks closer finds out.
    return false;
  }
}
