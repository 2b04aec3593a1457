import { openSync, readFileSync, writeSync } from "node:fs";
import type { HistoryEntry } from "../history/history.ts";
import type { Recorder } from "../history/recorder.ts";

/** An entry with its time on the clock that all processes of a machine share, in milliseconds. */
interface TimedEntry {
  readonly time: number;
  readonly entry: HistoryEntry;
}

const NANOSECONDS = 1e6;

/** A recorder into a file. What was recorded is there when the process is killed: each line is one write. */
export function fileRecorder(file: string): Recorder {
  const handle = openSync(file, "a");
  let last = 0;
  const now = (): number => {
    last = Math.max(last + 1 / NANOSECONDS, Number(process.hrtime.bigint()) / NANOSECONDS);
    return last;
  };
  return {
    now,
    add: (entry) =>
      void writeSync(handle, `${JSON.stringify({ time: now(), entry } satisfies TimedEntry)}\n`),
  };
}

/** The histories of processes as one, in the order of their times. */
export function joinHistories(files: readonly string[]): readonly HistoryEntry[] {
  return files
    .flatMap(linesOf)
    .toSorted((a, b) => a.time - b.time)
    .map(({ entry }) => entry);
}

function linesOf(file: string): readonly TimedEntry[] {
  // The recorder's own lines; a process that was killed in the middle of one leaves no end of it.
  const whole = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line) as TimedEntry);
}

/** The cursors that the readers of a process had reached, by their names. */
export function readersOf(file: string): ReadonlyMap<string, number> {
  const cursors = new Map<string, number>();
  for (const { entry } of linesOf(file))
    if (entry.type === "read") cursors.set(entry.reader, entry.events.at(-1)?.seq ?? entry.after);
  return cursors;
}
