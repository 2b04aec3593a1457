import { writeSync } from "node:fs";
import { copyHome } from "../../../../../src/providers/store/copy/copy-home.ts";
import { systemClock } from "../../../../../src/shared/async/clock.ts";

/** Copies a home, says each step on stdout, and stops at one until it is killed. Arguments: home, url, step. */
const [, , home = "", url = "", stop = ""] = process.argv;
await copyHome({
  home,
  url,
  pid: process.pid,
  clock: systemClock,
  records: () => Promise.resolve([]),
  progress({ part, sessions, blobs }) {
    const step = `${part} ${sessions} ${blobs}`;
    writeSync(1, `${step}\n`);
    // Whoever waits for this line ends the process.
    if (step === stop) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
