import { tmpdir } from "node:os";
import { jsonrepair } from "jsonrepair";
import { type Clock, createRedactor, type Host, openHost, type Policy, systemClock } from "../core/index.ts";
import { configuredModels } from "../providers/models/index.ts";
import { type HomeStore, readIdentity, sqliteStore } from "../providers/store/index.ts";
import { backgroundProcesses, builtinToolsets, createSpawner } from "../providers/tools/index.ts";
import { changeConfigFile } from "./config/config-file.ts";
import { makeHome } from "./config/home.ts";
import { secretValues } from "./config/secrets.ts";
import { loadSettings, type Settings } from "./config/settings.ts";
import type { Io } from "./io.ts";
import { failureLog } from "./log-file.ts";

/** A host with everything that this process brings to it. Disposing it ends its work and closes the store. */
export interface Agent extends AsyncDisposable {
  readonly host: Host;
  readonly store: HomeStore;
  readonly settings: Settings;
  /** Ends the background processes of a session, or of all; gives their number. */
  stopProcesses(sessionId?: string): Promise<number>;
}

export interface AgentOptions {
  /** The process stays: it also runs what others had queued. */
  readonly resident: boolean;
  readonly clock?: Clock;
}

/**
 * Opens the agent on the home that the environment names.
 *
 * @throws HostError `config_invalid`, `store_*`
 */
export async function openAgent(io: Io, options: AgentOptions): Promise<Agent> {
  const clock = options.clock ?? systemClock;
  const settings = await loadSettings(io.env, io.cwd);
  const { paths, env, allowNetworkFileSystem } = settings;
  makeHome(paths);
  const secrets = secretValues(env, namedKeys(settings));
  await using opening = new AsyncDisposableStack();
  const identity = readIdentity(io.pid);
  const store = opening.use(await sqliteStore({ home: paths.home, identity, clock, allowNetworkFileSystem }));
  const models = opening.use(configuredModels(settings.models, { env, clock }));
  const machine = { ...io.machine, env };
  const ledger = { record: store.recordChild.bind(store), forget: store.forgetChild.bind(store) };
  const spawner = opening.use(
    createSpawner({ machine, clock, hostId: store.hostId, tempDir: tmpdir(), ledger }),
  );
  const background = opening.use(backgroundProcesses({ spawner, clock }));
  const approvals = new RememberedApprovals(settings);
  const host = opening.use(
    await openHost({
      store,
      models,
      toolsets: builtinToolsets({ machine, spawner, background, tempDir: tmpdir() }),
      policy: () => approvals.policy,
      clock,
      secrets: () => secrets,
      resident: options.resident,
      repairJson: jsonrepair,
      reap: async (dead) => void (await spawner.reap(dead)),
      report: failureLog(io, paths.logs, (text) => createRedactor(secrets).hide(text)),
      rememberPatterns: (patterns) => approvals.remember(patterns),
    }),
  );
  const opened = opening.move();
  return {
    host,
    store,
    settings,
    stopProcesses: (id) => (id === undefined ? background.stopAll() : background.stop(id)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The owner's policy, with what was allowed for ever since it was read. */
class RememberedApprovals {
  readonly #path: string;
  policy: Policy;

  constructor({ paths, policy }: Settings) {
    this.#path = paths.config;
    this.policy = policy;
  }

  async remember(patterns: readonly string[]): Promise<void> {
    const { approvals } = this.policy;
    const allowed = [...new Set([...approvals.allowed, ...patterns])];
    this.policy = { ...this.policy, approvals: { ...approvals, allowed } };
    await changeConfigFile(this.#path, [[["approvals", "allowed"], allowed]]);
  }
}

function namedKeys({ models }: Settings): readonly string[] {
  const providers = [models, ...(models.providers?.values() ?? [])];
  return providers.flatMap(({ keyEnv }) => (keyEnv === undefined ? [] : [keyEnv]));
}
