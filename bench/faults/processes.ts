import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Groups of processes that this program started and has not ended. */
const running = new Set<number>();
process.on("exit", () => {
  for (const group of running) signal(group, "SIGKILL");
});
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => process.exit(1));

/** Notes a process that leads a group of its own: whatever becomes of this program, the group ends with it. */
export function own(child: ChildProcess): ChildProcess {
  const { pid } = child;
  if (pid === undefined) return child;
  running.add(pid);
  return child;
}

/** Ends a process and all of its group; after `patienceMs` at once. */
export async function end(child: ChildProcess, patienceMs: number): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    signal(pid, patienceMs === 0 ? "SIGKILL" : "SIGTERM");
    const late = setTimeout(() => signal(pid, "SIGKILL"), patienceMs);
    await gone;
    clearTimeout(late);
  }
  signal(pid, "SIGKILL");
  running.delete(pid);
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // None of it is left.
  }
}
