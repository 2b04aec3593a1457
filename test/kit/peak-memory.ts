import { readFileSync, writeFileSync } from "node:fs";

/** The memory of another process, as Linux counts it. */
export class PeakMemory {
  readonly #pid: number;
  readonly #before: number;

  /** Begins to measure. */
  constructor(pid: number) {
    this.#pid = pid;
    this.#before = this.#read("VmRSS");
    // Makes the system forget the highest value so far.
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  }

  /** Megabytes that the process had at most since then, beyond what it had at the beginning. */
  get growth(): number {
    return this.#read("VmHWM") - this.#before;
  }

  #read(name: string): number {
    const status = readFileSync(`/proc/${this.#pid}/status`, "utf8");
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1000;
  }
}
