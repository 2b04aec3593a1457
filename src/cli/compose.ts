import { tmpdir } from "node:os";
import { jsonrepair } from "jsonrepair";
import {
  type Clock,
  createRedactor,
  type Host,
  type HostOptions,
  openHost,
  type SlashCommand,
  systemClock,
} from "../core/index.ts";
import { type HomeStore, readIdentity, sqliteStore } from "../providers/store/index.ts";
import {
  backgroundProcesses,
  builtinToolsets,
  createSpawner,
  type Machine,
  type Spawner,
} from "../providers/tools/index.ts";
import { makeHome } from "./config/home.ts";
import { LiveSettings } from "./config/live-settings.ts";
import { loadSettings, type Settings } from "./config/settings.ts";
import type { Io } from "./io.ts";
import { joinedToolsets } from "./joined-toolsets.ts";
import { failureLog } from "./log-file.ts";
import { publicFetcher, webToolsets } from "./web.ts";

/** A host with everything that this process brings to it. Disposing it ends its work and closes the store. */
export interface Agent extends AsyncDisposable {
  readonly host: Host;
  readonly store: HomeStore;
  /** As they were at the start. */
  readonly settings: Settings;
  /** As they are. */
  readonly live: LiveSettings;
  readonly machine: Machine;
  readonly spawner: Spawner;
  /** Ends the background processes of a session, or of all; gives their number. */
  stopProcesses(sessionId?: string): Promise<number>;
  /** Slash commands that come and go, beside the built-in ones. */
  commands(): readonly SlashCommand[];
}

export interface AgentOptions {
  /** The process stays: it also runs what others had queued. */
  readonly resident: boolean;
  readonly clock?: Clock;
  /** Milliseconds that processes get to end by themselves when they are told to; 2000 by default. */
  readonly graceMs?: number;
  /** Told of each row that this process commits; quick, and it does not throw. */
  readonly observe?: HostOptions["observe"];
}

/**
 * Opens the agent on the home that the environment names.
 *
 * @throws HostError `config_invalid`, `store_*`
 */
export async function openAgent(io: Io, options: AgentOptions): Promise<Agent> {
  const clock = options.clock ?? systemClock;
  const settings = await loadSettings(io.env, io.cwd);
  const { paths, allowNetworkFileSystem } = settings;
  makeHome(paths);
  await using opening = new AsyncDisposableStack();
  const identity = readIdentity(io.pid);
  const thread = io.startThread === undefined ? {} : { startThread: io.startThread };
  const store = opening.use(
    await sqliteStore({ home: paths.home, identity, clock, allowNetworkFileSystem, ...thread }),
  );
  const live = opening.use(
    new LiveSettings(settings, { environment: io.env, cwd: io.cwd, clock, platform: io.platform }),
  );
  const machine = { ...io.machine, env: live.env };
  const ledger = { record: store.recordChild.bind(store), forget: store.forgetChild.bind(store) };
  const spawner = opening.use(
    createSpawner({
      machine,
      clock,
      hostId: store.hostId,
      tempDir: tmpdir(),
      ledger,
      ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
    }),
  );
  const background = opening.use(backgroundProcesses({ spawner, clock }));
  // A tool cuts with more sense than the core does, so that it comes first.
  const outputLimit = Math.ceil(0.97 * settings.policy.limits.toolOutput);
  const fetcher = publicFetcher(live, clock);
  const builtin = builtinToolsets({ machine, spawner, background, tempDir: tmpdir(), outputLimit });
  const host = opening.use(
    await openHost({
      store,
      models: () => live.models,
      toolsets: joinedToolsets([() => builtin, webToolsets(live, { clock, fetcher, outputLimit })]),
      policy: () => live.policy,
      clock,
      secrets: () => live.secrets,
      resident: options.resident,
      repairJson: jsonrepair,
      reap: async (dead) => void (await spawner.reap(dead)),
      report: failureLog(io, paths.logs, (text) => createRedactor(live.secrets).hide(text)),
      rememberPatterns: (patterns) => live.rememberPatterns(patterns),
      ...(options.observe === undefined ? {} : { observe: options.observe }),
    }),
  );
  const opened = opening.move();
  return {
    host,
    store,
    settings,
    live,
    machine,
    spawner,
    stopProcesses: (id) => (id === undefined ? background.stopAll() : background.stop(id)),
    commands: () => [],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
