import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The memory of this thread's objects. */
export interface Heap {
  /** Bytes that it has of the system. */
  size(): number;
  /** Collects all garbage, and gives back what is free; takes up to 4 ms for each megabyte, in which nothing else happens. */
  release(): void;
}

type Collect = (how: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** The heap of this thread. */
export const ownHeap = (): Heap => {
  let collect: Collect | undefined;
  return {
    size: () => getHeapStatistics().total_heap_size,
    release() {
      collect ??= collector();
      // What was compiled is needed again with the next turn.
      setFlagsFromString("--no-flush-bytecode");
      collect({ type: "major", flavor: "last-resort" });
      setFlagsFromString("--flush-bytecode");
    },
  };
};

/** Takes V8's own function; flags are put back, since compiled code that is kept on disk is good for the same flags only. */
function collector(): Collect {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  // Without it there is nothing to be done.
  return typeof collect === "function" ? (collect as Collect) : () => undefined;
}
