import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_POLICY, type HostError, type HostOptions, type Session } from "../../../src/core/index.ts";
import { openCheckpoints } from "../../../src/providers/checkpoints/index.ts";
import { BackgroundProcesses, builtinToolsets, Spawner } from "../../../src/providers/tools/index.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";

/** A folder with a workspace and a home, and the parts of a host with the real tools and real checkpoints. */
export interface Kept extends AsyncDisposable {
  readonly root: string;
  readonly options: Partial<HostOptions>;
  readonly reported: HostError[];
}

export function keptFiles(): Kept {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "kept-")));
  const [root, home] = [join(top, "work"), join(top, "home")];
  mkdirSync(root);
  mkdirSync(home, { mode: 0o700 });
  const spawner = new Spawner({
    machine: process,
    clock: systemClock,
    hostId: `kept-${process.pid}`,
    tempDir: top,
    ledger: { record: () => Promise.resolve(), forget: () => Promise.resolve() },
  });
  const background = new BackgroundProcesses(spawner, systemClock);
  const reported: HostError[] = [];
  const checkpoints = openCheckpoints({
    home,
    apart: [home],
    personHome: "/nowhere",
    maxBytes: 1_000_000_000,
    platform: process.platform,
    pid: process.pid,
    running: () => background.sessions(),
    report: (error) => reported.push(error),
  });
  const toolsets = builtinToolsets({ machine: process, spawner, background, tempDir: top, home: "/nowhere" });
  return {
    root,
    reported,
    options: {
      checkpoints,
      toolsets,
      policy: { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, mode: "off" } },
    },
    async [Symbol.asyncDispose]() {
      await checkpoints[Symbol.asyncDispose]();
      await background[Symbol.asyncDispose]();
      await spawner[Symbol.asyncDispose]();
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** Runs one turn to its end. */
export async function ask(session: Session, text: string): Promise<void> {
  await session.submit({ text }).result;
}
