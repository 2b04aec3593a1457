import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { QuietMemory } from "../../../src/app/process/quiet-memory.ts";
import { handClock } from "../../kit/clock.ts";

const MB = 1024 * 1024;

function stage() {
  const clock = handClock();
  const state = { size: 30 * MB, live: 20 * MB, released: 0, isBusy: false };
  const heap = {
    size: () => state.size,
    release() {
      state.released += 1;
      state.size = state.live;
    },
  };
  const memory = new QuietMemory({ clock, heap, isBusy: () => state.isBusy });
  return { clock, state, memory };
}

test("memory is given back when there was nothing to do for a moment, and only when it is worth it", () => {
  const { clock, state, memory } = stage();
  clock.advance(500);
  memory.worked();
  clock.advance(500);
  expect(state.released).toBe(0);
  clock.advance(100);
  expect(state.released).toBe(1);
  // A turn that leaves little behind.
  state.size += MB;
  memory.worked();
  clock.advance(60_000);
  expect(state.released).toBe(1);
  state.size += 4 * MB;
  memory.worked();
  clock.advance(2000);
  expect(state.released).toBe(2);
});

test("what comes a little later is given back too", () => {
  const { clock, state } = stage();
  clock.advance(600);
  state.size += 10 * MB;
  clock.advance(4400);
  expect(state.released).toBe(2);
  state.size += 10 * MB;
  clock.advance(25_000);
  expect(state.released).toBe(3);
  state.size += 10 * MB;
  clock.advance(270_000);
  expect(state.released).toBe(4);
  state.size += 10 * MB;
  clock.advance(1_000_000);
  expect([state.released, clock.pending()]).toEqual([4, []]);
});

test("the more there is, the longer it must have been quiet", () => {
  for (const [size, quiet] of [
    [32, 600],
    [33, 2000],
    [96, 2000],
    [97, 30_000],
    [256, 30_000],
    [257, 300_000],
    [4000, 300_000],
  ] as const) {
    const { clock, state } = stage();
    state.size = size * MB;
    clock.advance(quiet - 1);
    expect([size, state.released]).toEqual([size, 0]);
    clock.advance(1);
    expect([size, state.released]).toEqual([size, 1]);
  }
});

test("nothing is given back while a turn runs, or after the end", () => {
  const { clock, state, memory } = stage();
  state.isBusy = true;
  clock.advance(60_000);
  expect(state.released).toBe(0);
  state.isBusy = false;
  memory.worked();
  memory[Symbol.dispose]();
  clock.advance(60_000);
  expect(state.released).toBe(0);
});

test("a real heap becomes smaller, and the flags of the process stay as they were", async () => {
  const heap = new URL("../../../src/app/process/heap.ts", import.meta.url).href;
  const program = `
    import { ownHeap } from ${JSON.stringify(heap)};
    const own = ownHeap();
    let garbage = Array.from({ length: 300_000 }, (_, index) => ({ index, text: String(index) }));
    const before = own.size();
    garbage = undefined;
    own.release();
    console.log(JSON.stringify({ before, after: own.size(), gc: typeof gc }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  const { before, after, gc } = JSON.parse(stdout) as { before: number; after: number; gc: string };
  expect(after).toBeLessThan(before - 10 * MB);
  expect(gc).toBe("undefined");
});
