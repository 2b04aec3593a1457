import { type Clock, systemClock } from "../../../../src/shared/async/clock.ts";
import type { Exit } from "../../../../src/providers/tools/spawn/child.ts";
import { Spawner, type SpawnRequest } from "../../../../src/providers/tools/spawn/spawner.ts";
import {
  openSandbox,
  type FirstProgram,
  type Sandbox,
  sandboxAvailability,
  type SandboxEngine,
  type SandboxPolicy,
} from "../../../../src/providers/tools/sandbox/index.ts";
import type { Machine } from "../../../../src/providers/tools/machine.ts";
import { scratch, type Scratch } from "../scratch.ts";
import { startBash } from "../start-bash.ts";

const spawnerIn = (path: string, clock = systemClock): Spawner =>
  new Spawner({ machine: process, clock, hostId: `host-${path.slice(-6)}`, tempDir: path });

/** Milliseconds for which walls that were put up ahead wait to be used. */
const UNUSED_MS = 60_000;

/** The time of walls that are put up ahead. */
interface WarmClock {
  /** The machine's own, but for how long they wait. */
  readonly clock: Clock;
  /** Resolves when they stand, those for each command once. */
  readonly warm: () => Promise<void>;
  /** Nobody wanted the last ones in time. */
  readonly expire: () => void;
  /** Resolves when the last ones wait no more. */
  readonly gone: () => Promise<void>;
}

export function warmClock(): WarmClock {
  const standing: PromiseWithResolvers<void>[] = [];
  const nth = (index: number): PromiseWithResolvers<void> =>
    (standing[index] ??= Promise.withResolvers<void>());
  let [count, awaited] = [0, 0];
  let last = { expire: (): void => undefined, gone: Promise.withResolvers<void>() };
  const clock: Clock = {
    ...systemClock,
    after(ms, run, holds) {
      if (ms !== UNUSED_MS) return systemClock.after(ms, run, holds);
      const gone = Promise.withResolvers<void>();
      last = { expire: run, gone };
      nth(count++).resolve();
      return () => gone.resolve();
    },
  };
  return {
    clock,
    warm: () => nth(awaited++).promise,
    expire: () => last.expire(),
    gone: () => last.gone.promise,
  };
}

/** What this machine has, found once for all tests of a file. */
async function findEngine(): Promise<{ engine: SandboxEngine | undefined; why: string }> {
  const clock = systemClock;
  await using dir = await scratch();
  await using spawner = spawnerIn(dir.path);
  const found = await sandboxAvailability({ machine: process, spawner, clock, arch: process.arch });
  return found.available
    ? { engine: chosen(found.engine), why: "" }
    : { engine: undefined, why: `${found.reason} ${found.advice}` };
}

const FIRST: Readonly<Record<FirstProgram["name"], string>> = {
  perl: "/usr/bin/perl",
  python3: "/usr/bin/python3",
  node: process.execPath,
};

/** The engine with another program that runs first inside. */
export function withFirst(found: SandboxEngine | undefined, name: FirstProgram["name"]): SandboxEngine {
  if (found?.kind !== "bubblewrap") throw new Error(why);
  return { ...found, first: { name, file: FIRST[name] } };
}

/**
 * The engine with another first program (`TEST_SANDBOX_FIRST`: perl, python3 or node) or another `bwrap`, by its file
 * (`TEST_SANDBOX_BWRAP`, taken as one that cannot forbid user namespaces by itself).
 */
function chosen(engine: SandboxEngine): SandboxEngine {
  const { TEST_SANDBOX_FIRST: name, TEST_SANDBOX_BWRAP: file } = process.env;
  const isNamed = name === "perl" || name === "python3" || name === "node";
  const first = isNamed ? withFirst(engine, name) : engine;
  if (first.kind !== "bubblewrap" || file === undefined) return first;
  return { ...first, file, version: "0.4.0", disablesUserNamespaces: false };
}

export const { engine, why } = await findEngine();

/** A workspace, a home of the agent, and a sandbox around programs. */
export interface Stage extends AsyncDisposable {
  readonly dir: Scratch;
  /** The folder of the workspace. */
  readonly root: string;
  readonly spawner: Spawner;
  readonly sandbox: Sandbox;
  /** Runs a script to its end, inside by default. */
  run(script: string, request?: Partial<SpawnRequest>): Promise<Ran>;
}

interface Ran {
  readonly exit: Exit;
  /** Both its outputs. */
  readonly text: string;
}

export async function stage(
  policy: Partial<SandboxPolicy> = {},
  {
    using = engine,
    env = process.env,
    clock,
  }: { using?: SandboxEngine | undefined; env?: Machine["env"]; clock?: Clock } = {},
): Promise<Stage> {
  if (using === undefined) throw new Error(why);
  const stack = new AsyncDisposableStack();
  const dir = stack.use(await scratch());
  await dir.write({ "ws/.keep": "", "home/.keep": "", "agent/secret": "canary", "tmp/.keep": "" });
  const spawner = stack.use(spawnerIn(dir.at("tmp"), clock));
  const root = dir.at("ws");
  const { platform, pid, execPath, argv } = process;
  const machine = { platform, pid, execPath, argv, env, kill: process.kill.bind(process) };
  const opened = await openSandbox(
    using,
    { roots: [root], apart: [dir.at("agent")], home: dir.at("home"), tempDir: dir.at("tmp"), ...policy },
    { machine, clock: systemClock },
  );
  if (!opened.available) throw new Error(opened.reason);
  const sandbox = stack.use(opened.sandbox);
  return {
    dir,
    root,
    spawner,
    sandbox,
    async run(script, request = {}) {
      const bash = await startBash(spawner, script, { cwd: root, sandbox, ...request });
      return { exit: await bash.child.exited, text: bash.text() };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
