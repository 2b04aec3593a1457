import { readFileSync } from "node:fs";

/** The mark of a process: its id, and when the system started it. */
export function ownerMark(pid: number): string {
  return `${pid}:${startOf(pid)}:${bootId()}`;
}

/** Milliseconds without a sign of life, where only that tells. */
const SILENCE = 10_000;

/**
 * Whether the process of a mark still runs.
 *
 * @param beat - its newest sign of life, Unix milliseconds: all that there is on a system without `/proc`
 */
export function isOwnerAlive(
  mark: string,
  { beat, now }: { readonly beat: number; readonly now: number },
): boolean {
  const boot = bootId();
  if (boot === "") return now - beat < SILENCE;
  const [pid = "0"] = mark.split(":");
  return mark === `${pid}:${startOf(Number(pid))}:${boot}`;
}

const STARTTIME = 19;

function startOf(pid: number): string {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in parentheses may hold blanks and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ["Z", "X"].includes(fields[0] ?? "") ? "" : (fields[STARTTIME] ?? "");
}

const bootId = (): string => textOf("/proc/sys/kernel/random/boot_id").trim();

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
