import { existsSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";

/**
 * A process that swaps a directory and a file of a workspace for links to the outside and back, as fast as it can,
 * until its standard input ends. Then it says how often it did.
 */
const [workspace = "", outside = ""] = process.argv.slice(2);
let swaps = 0;
let over = false;
process.stdin.on("end", () => (over = true)).resume();

const away = (name: string): string => `${workspace}/../${name}.away`;

/** Some microseconds in one state, never the same number, so that every step of the victim is hit at some time. */
function pause(): void {
  const end = process.hrtime.bigint() + BigInt(Math.floor(Math.random() * 80_000));
  while (process.hrtime.bigint() < end);
}

function swap(name: string): void {
  renameSync(`${workspace}/${name}`, away(name));
  symlinkSync(`${outside}/${name}`, `${workspace}/${name}`);
  pause();
  unlinkSync(`${workspace}/${name}`);
  renameSync(away(name), `${workspace}/${name}`);
  pause();
  swaps += 1;
}

/** The victim may have put something new in the place meanwhile; that goes, and what was away comes back. */
function swapOrRepair(name: string): void {
  try {
    swap(name);
  } catch {
    if (!existsSync(away(name))) return;
    try {
      rmSync(`${workspace}/${name}`, { recursive: true, force: true });
      renameSync(away(name), `${workspace}/${name}`);
    } catch {
      // Faster again: the next round repairs it.
    }
  }
}

function work(): void {
  for (let i = 0; i < 50; i += 1) {
    swapOrRepair("dir");
    swapOrRepair("file.txt");
  }
  if (over) console.log(swaps);
  else setImmediate(work);
}

console.log("ready");
work();
