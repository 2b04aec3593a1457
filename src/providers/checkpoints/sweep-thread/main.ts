import { parentPort } from "node:worker_threads";
import type { SweepRequest } from "../sweep-helper.ts";
import { type SlotPaths, changedSlots } from "../stat-sweep.ts";

/** The thread that compares half of a large tree with the disk. */
function main(): void {
  const trees = new Map<number, SlotPaths>();
  parentPort?.on("message", ({ signs, answer, tree, paths, from, to }: SweepRequest) => {
    const known = trees.get(tree) ?? [];
    trees.set(tree, known);
    // A buffer arrives as plain bytes.
    for (const [slot, path] of paths) known[slot] = path instanceof Uint8Array ? Buffer.from(path) : path;
    const view = new Int32Array(answer);
    const changed = changedSlots(known, new Float64Array(signs), { from, to });
    view[1] = changed.length;
    view.set(changed, 2);
    Atomics.store(view, 0, 1);
    Atomics.notify(view, 0);
  });
}

main();
