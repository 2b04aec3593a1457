import { systemClock } from "../../../../src/shared/async/clock.ts";
import type { Clock } from "../../../../src/shared/async/clock.ts";
import type { Machine } from "../../../../src/providers/tools/machine.ts";
import type { Exit } from "../../../../src/providers/tools/spawn/child.ts";
import { Spawner, type SpawnRequest } from "../../../../src/providers/tools/spawn/spawner.ts";
import { containerAvailability } from "../../../../src/providers/tools/container/find-engine.ts";
import type { ContainerEngine, ContainerSettings } from "../../../../src/providers/tools/container/engine.ts";
import {
  openSandbox,
  type Sandbox,
  type SandboxPolicy,
} from "../../../../src/providers/tools/sandbox/index.ts";
import { scratch, type Scratch } from "../scratch.ts";
import { startBash } from "../start-bash.ts";

export const SETTINGS: ContainerSettings = {
  engine: "auto",
  image: "localhost/agent-test:latest",
  pull: "never",
  memory: "256m",
  cpus: 1,
  pids: 100,
  network: "proxy",
  user: "host",
  options: [],
};

/** What a stage is made for. */
export interface StageOptions {
  readonly settings?: Partial<ContainerSettings>;
  readonly policy?: Partial<SandboxPolicy>;
  /** The environment in which the engine is looked for. */
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  readonly hostId?: string;
}

/** A workspace, a home of the agent, and an engine of containers. */
export interface Stage extends AsyncDisposable {
  readonly dir: Scratch;
  /** The folder of the workspace. */
  readonly root: string;
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly engine: ContainerEngine;
  readonly policy: SandboxPolicy;
  /** Opens a session. @throws Error with the reason why there is no container */
  open(policy?: Partial<SandboxPolicy>): Promise<Sandbox>;
  /** Starts a script inside. */
  start(sandbox: Sandbox, script: string, request?: Partial<SpawnRequest>): Promise<Started>;
  /** Runs it to its end. */
  run(sandbox: Sandbox, script: string, request?: Partial<SpawnRequest>): Promise<Ran>;
}

type Started = { readonly child: Awaited<ReturnType<Spawner["spawn"]>>; readonly text: () => string };

interface Ran {
  readonly exit: Exit;
  /** Both its outputs. */
  readonly text: string;
}

let hosts = 0;

export async function stage(options: StageOptions = {}): Promise<Stage> {
  const { clock = systemClock, env = process.env } = options;
  const stack = new AsyncDisposableStack();
  const dir = stack.use(await scratch());
  await dir.write({ "ws/.keep": "", "home/.keep": "", "agent/secret": "canary", "tmp/.keep": "" });
  const machine: Machine = {
    platform: process.platform,
    pid: process.pid,
    execPath: process.execPath,
    argv: process.argv,
    env,
    kill: (pid, signal) => process.kill(pid, signal),
  };
  const hostId = options.hostId ?? `host-${process.pid}-${(hosts += 1)}`;
  const spawner = stack.use(new Spawner({ machine, clock, hostId, tempDir: dir.at("tmp"), graceMs: 500 }));
  const settings = { ...SETTINGS, ...options.settings };
  const found = await containerAvailability({ machine, spawner, clock, hostId, settings });
  if (!found.available) {
    await stack.disposeAsync();
    throw new Error(`${found.reason} ${found.advice}`);
  }
  const { engine } = found;
  if (engine.kind !== "container") throw new Error("It is no container engine");
  const root = dir.at("ws");
  const policy: SandboxPolicy = {
    roots: [root],
    apart: [dir.at("agent")],
    home: dir.at("home"),
    tempDir: dir.at("tmp"),
    ...options.policy,
  };
  const start: Stage["start"] = (sandbox, script, request = {}) =>
    startBash(spawner, script, { file: "/bin/bash", cwd: root, sandbox, ...request });
  return {
    dir,
    root,
    machine,
    spawner,
    engine,
    policy,
    async open(more = {}) {
      const opened = await openSandbox(engine, { ...policy, ...more }, { machine, clock });
      if (!opened.available) throw new Error(`${opened.reason} ${opened.advice}`);
      return stack.use(opened.sandbox);
    },
    start,
    async run(sandbox, script, request) {
      const { child, text } = await start(sandbox, script, request);
      const exit = await child.exited;
      return { exit, text: text() };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
