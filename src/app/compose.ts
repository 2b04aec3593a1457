import { defined } from "../shared/json/defined.ts";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { jsonrepair } from "jsonrepair";
import { type Host, type HostOptions, type ExtraCommands, openHost } from "../core/index.ts";
import { systemClock } from "../shared/async/clock.ts";
import { redactorOf } from "../shared/text/redact.ts";
import type { Knowledge } from "../providers/knowledge/index.ts";
import { type HomeStore, readIdentity, sqliteStore } from "../providers/store/index.ts";
import { BackgroundProcesses, Spawner, type Machine } from "../providers/tools/index.ts";
import { programFile } from "../shared/files/program-file.ts";
import { agentToolsets } from "./toolsets.ts";
import { makeHome } from "./config/home.ts";
import { LiveSettings } from "./config/live-settings.ts";
import { loadSettings, type AppSettings } from "./config/settings.ts";
import type { Io } from "./process/io.ts";
import { homeKnowledge } from "./knowledge/knowledge.ts";
import { type LogChoice, openLog, type ProcessLog } from "./process/log.ts";
import { turnLog } from "./process/turn-log.ts";
import { FolderTrust } from "./trust/folder-trust.ts";
import { leftOutOf, leftOutWords } from "./trust/workspace-trust.ts";
import { extraCommands } from "./commands/extra-commands.ts";
import { McpManager } from "./mcp/mcp-manager.ts";

/** A host with everything that this process brings to it. Disposing it ends its work and closes the store. */
export interface Agent extends AsyncDisposable {
  readonly host: Host;
  readonly store: HomeStore;
  /** As they were at the start. */
  readonly settings: AppSettings;
  /** As they are. */
  readonly live: LiveSettings;
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly mcp: McpManager;
  readonly knowledge: Knowledge;
  readonly trust: FolderTrust;
  readonly log: ProcessLog;
  /** Ends the background processes of a session, or of all; gives their number. */
  stopProcesses(sessionId?: string): Promise<number>;
  /** Slash commands that come and go, beside the built-in ones. */
  readonly commands: ExtraCommands;
}

/** The options of an agent. */
export interface AgentOptions {
  /** The process stays: it also runs what others had queued. */
  readonly resident: boolean;
  /** Milliseconds that processes get to end by themselves when they are told to; 2000 by default. */
  readonly graceMs?: number;
  /** Folders that nobody has decided about are trusted. */
  readonly trustsNew?: boolean;
  /** The process is a server: it tells on stderr what happens. */
  readonly log?: LogChoice;
  /** Told of each row that this process commits; quick, and it does not throw. */
  readonly observe?: HostOptions["observe"];
  /** Rules of approvals that hold in this process alone. */
  readonly rules?: Parameters<LiveSettings["ruleHere"]>[0];
}

/**
 * Opens the agent on the home that the environment names.
 *
 * @throws HostError `config_invalid`, `store_*`
 */
export async function openAgent(io: Io, options: AgentOptions): Promise<Agent> {
  const clock = systemClock;
  const settings = await loadSettings(io.env, io.cwd);
  const { paths } = settings;
  makeHome(paths);
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await storeOf(io, settings));
  const live = opening.use(
    new LiveSettings(settings, { environment: io.env, cwd: io.cwd, clock, platform: io.platform }),
  );
  if (options.rules !== undefined) live.ruleHere(options.rules);
  const machine = { ...io.machine, env: live.env };
  const spawner = opening.use(spawnerFor(store, { ...options, machine }));
  const background = opening.use(new BackgroundProcesses(spawner, clock));
  const mcp = opening.use(
    new McpManager({ live, spawner, clock, cwd: io.cwd, host: () => host, env: live.env }),
  );
  const trust = new FolderTrust(paths.home);
  const knowledge = homeKnowledge(live, knowledgeParts(io, options, trust));
  const secrets = (): readonly string[] => [...live.secrets, ...mcp.secrets];
  const redactor = redactorOf(secrets);
  const log = openLog(io, { folder: paths.logs, redactor, choice: options.log });
  const host: Host = opening.use(
    await openHost({
      store,
      models: () => live.models,
      toolsets: agentToolsets(live, { clock, machine, spawner, background, mcp, knowledge }),
      systemPrompt: knowledge.systemPrompt,
      policy: () => live.policy,
      clock,
      secrets,
      resident: options.resident,
      repairJson: jsonrepair,
      reap: async (dead) => void (await spawner.reap(dead)),
      report: log.report,
      rememberPatterns: (patterns) => live.rememberPatterns(patterns),
      ...defined({ observe: observer(options, log, { knowledge, trust }) }),
    }),
  );
  await knowledge.skills.ready(io.cwd);
  if (options.resident) mcp.startSoon();
  const opened = opening.move();
  return {
    host,
    store,
    settings,
    log,
    live,
    machine,
    spawner,
    mcp,
    knowledge,
    trust,
    stopProcesses: (id) => (id === undefined ? background.stopAll() : background.stop(id)),
    commands: extraCommands({ live, knowledge, mcp, machine, spawner }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const knowledgeParts = (io: Io, { resident, trustsNew }: AgentOptions, trust: FolderTrust) => ({
  clock: systemClock,
  platform: io.platform,
  stays: resident,
  trust,
  ...defined({ trustsNew }),
});

function observer(
  { log: choice, observe }: AgentOptions,
  log: ProcessLog,
  parts: Pick<Agent, "knowledge" | "trust">,
): HostOptions["observe"] {
  if (choice === undefined) return observe;
  const tell = turnLog(log.write, (cwd) => {
    const left = leftOutOf(cwd, parts);
    return left && leftOutWords(left);
  });
  return (session, row) => {
    observe?.(session, row);
    tell(session, row);
  };
}

function storeOf(
  { pid, startThread }: Io,
  { paths, allowNetworkFileSystem }: AppSettings,
): Promise<HomeStore> {
  const options = {
    home: paths.home,
    identity: readIdentity(pid),
    clock: systemClock,
    allowNetworkFileSystem,
  };
  return sqliteStore({ ...options, ...defined({ startThread }) });
}

/** Starts programs; what they are is noted in the home, so that its next life finds what this one left. */
function spawnerFor(
  store: HomeStore,
  { machine, graceMs }: { readonly machine: Machine; readonly graceMs?: number },
): Spawner {
  const ledger = { record: store.recordChild.bind(store), forget: store.forgetChild.bind(store) };
  const { hostId } = store;
  const program = programFile(import.meta.url, { source: "./reaper/main.ts", built: "reaper.js" });
  const reaper = [machine.execPath, fileURLToPath(program), hostId];
  const place = { clock: systemClock, hostId, tempDir: tmpdir(), ledger, reaper };
  return new Spawner({ machine, ...place, ...defined({ graceMs }) });
}
