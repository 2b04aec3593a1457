import { Worker } from "node:worker_threads";
import { programFile } from "../../shared/files/program-file.ts";
import type { Signs } from "./signs.ts";
import { type SlotPaths, changedSlots } from "./stat-sweep.ts";

/** The request to the helping thread. */
export interface SweepRequest {
  readonly signs: SharedArrayBuffer;
  /** Where the answer goes: its number, how many slots, the slots. */
  readonly answer: SharedArrayBuffer;
  readonly tree: number;
  /** Paths that changed since it was last asked about this tree. */
  readonly paths: readonly (readonly [slot: number, path: string | Uint8Array | undefined])[];
  readonly from: number;
  readonly to: number;
  readonly number: number;
}

/** Fewer entries are compared sooner than a thread wakes up. */
const WORTH_HELPING = 3000;
const PATIENCE_MS = 5000;

/** The comparison of a tree's entries with the disk, half of them in a second thread when there are many. */
export class SweepHelper {
  #worker: Worker | undefined;
  #number = 0;
  #trees = 0;

  /** A number that stands for a tree. */
  newTree(): number {
    this.#trees += 1;
    return this.#trees;
  }

  run(tree: SweptTree): readonly number[] {
    const view = new Float64Array(tree.signs.buffer);
    const { length } = tree.signs;
    if (length < WORTH_HELPING) return changedSlots(tree.paths, view, { from: 0, to: length });
    const middle = Math.floor(length / 2);
    const answer = this.#ask(tree, { from: middle, to: length });
    const own = changedSlots(tree.paths, view, { from: 0, to: middle });
    const helped = answer();
    return [...own, ...(helped ?? changedSlots(tree.paths, view, { from: middle, to: length }))];
  }

  close(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ask(tree: SweptTree, { from, to }: { readonly from: number; readonly to: number }) {
    const answer = new SharedArrayBuffer((2 + to - from) * Int32Array.BYTES_PER_ELEMENT);
    const view = new Int32Array(answer);
    this.#number += 1;
    const request: SweepRequest = {
      signs: tree.signs.buffer,
      answer,
      tree: tree.number,
      paths: tree.news.splice(0),
      from,
      to,
      number: this.#number,
    };
    this.#worker ??= startHelper();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(request);
    return (): readonly number[] | undefined => {
      // This thread has nothing else to do, and its caller wants one answer.
      if (Atomics.wait(view, 0, 0, PATIENCE_MS) === "timed-out") return undefined;
      return [...view.subarray(2, 2 + (view[1] ?? 0))];
    };
  }
}

/** A tree as it is compared with the disk. */
export interface SweptTree {
  readonly number: number;
  readonly signs: Signs;
  readonly paths: SlotPaths;
  /** Slots whose path changed since the helper was asked. */
  readonly news: [slot: number, path: string | Uint8Array | undefined][];
}

function startHelper(): Worker {
  const program = programFile(import.meta.url, {
    source: "./sweep-thread/main.ts",
    built: "checkpoint-sweeper.js",
  });
  const worker = new Worker(program, { name: "checkpoint-sweeper", execArgv: [], env: {} });
  worker.unref();
  // Without it the sweep takes longer, and that is all.
  worker.on("error", () => undefined);
  return worker;
}
