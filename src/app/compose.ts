import { defined } from "../shared/json/defined.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { jsonrepair } from "jsonrepair";
import { Host, type HostOptions, type ExtraCommands } from "../core/index.ts";
import { systemClock } from "../shared/async/clock.ts";
import { rememberFor } from "../shared/memo/remember-for.ts";
import { redactorOf } from "../shared/text/redact.ts";
import type { Knowledge } from "../providers/knowledge/index.ts";
import type { HomeStore } from "../providers/store/index.ts";
import {
  BackgroundProcesses,
  type DeadHostProcesses,
  type Machine,
  Spawner,
} from "../providers/tools/index.ts";
import { programFile } from "../shared/files/program-file.ts";
import { joinCluster } from "./cluster/cluster.ts";
import { openStore, partsOf } from "./store/open-store.ts";
import { storeClock } from "./store/store-clock.ts";
import { reportCluster } from "./cluster/report-cluster.ts";
import { shareLimits } from "./cluster/shared-limits.ts";
import { agentToolsets } from "./toolsets.ts";
import { homeCheckpoints } from "./checkpoints.ts";
import type { HomeTexts } from "./config/home-texts.ts";
import { makeHome } from "./config/home.ts";
import { LiveSettings } from "./config/live-settings.ts";
import { loadSettings, type AppSettings } from "./config/settings.ts";
import type { Heap } from "./process/heap.ts";
import type { Io } from "./process/io.ts";
import { QuietMemory } from "./process/quiet-memory.ts";
import { type HomeKb, homeKb } from "./kb/home-kb.ts";
import { homeKnowledge } from "./knowledge/knowledge.ts";
import { type LogChoice, openLog, type ProcessLog } from "./process/log.ts";
import { turnLog } from "./process/turn-log.ts";
import { FolderTrust } from "./trust/folder-trust.ts";
import { leftOutOf, leftOutWords } from "./trust/workspace-trust.ts";
import { extraCommands } from "./commands/extra-commands.ts";
import { ProcessNotes } from "./process-notes.ts";
import { PreparedSandboxes } from "./sandbox/prepared-sandboxes.ts";
import { SessionSandboxes } from "./sandbox/session-sandboxes.ts";
import { homePeople, type HomePeople } from "./people/home-people.ts";
import type { HomePersonas } from "./people/home-personas.ts";
import { homePersonas } from "./people/open-personas.ts";
import { McpManager } from "./mcp/mcp-manager.ts";

/** A host with everything that this process brings to it. Disposing it ends its work and closes the store. */
export interface Agent extends AsyncDisposable {
  readonly host: Host;
  readonly store: HomeStore;
  /** Another one for another database, also for one that was put in the place of the old one. */
  readonly epoch: () => string;
  /** Small texts of the home that commands change. */
  readonly texts: HomeTexts;
  readonly people: HomePeople;
  /** As they were at the start. */
  readonly settings: AppSettings;
  /** As they are. */
  readonly live: LiveSettings;
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly sandboxes: SessionSandboxes;
  readonly mcp: McpManager;
  readonly knowledge: Knowledge;
  /** The documents of the home. */
  readonly kb: HomeKb;
  readonly personas: HomePersonas;
  readonly trust: FolderTrust;
  readonly log: ProcessLog;
  readonly background: BackgroundProcesses;
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

/** Opens the agent on the home that the environment names. @throws HostError `config_invalid`, `store_*` */
export async function openAgent(io: Io, options: AgentOptions): Promise<Agent> {
  const settings = await homeSettings(io);
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await openStore(io, settings));
  const clock = storeClock(store);
  // Other machines ask before there is one.
  let opened: Host | undefined;
  const cluster = opening.use(await joinCluster(settings, store, { ...io, ...options, host: () => opened }));
  const { memory, texts, epoch } = opening.use(await partsOf(settings, store));
  const live = opening.use(liveSettings(settings, io, { texts, ...options }));
  if (cluster !== undefined) opening.use(shareLimits({ store, live }, cluster.machines.here.id));
  const machine = { ...io.machine, env: live.env };
  const programs = opening.use(openPrograms({ store, live, machine, host: () => host }, options));
  const { spawner, background, sandboxes, kb } = programs;
  const { cwd } = io;
  const mcp = opening.use(new McpManager({ ...programs, live, clock, cwd, host: () => host, env: live.env }));
  const trust = new FolderTrust(settings.paths.home);
  const { resident, trustsNew } = options;
  const parts = { clock, platform: io.platform, stays: resident, memory, trust, ...defined({ trustsNew }) };
  const knowledge = homeKnowledge(live, parts);
  const personas = homePersonas(store.records, live, clock);
  const people = homePeople(store, live, { clock, personas });
  const secrets = (): readonly string[] => [...live.secrets, ...mcp.secrets];
  const log = logFor(io, settings, { secrets, choice: options.log });
  const checkpoints = opening.use(homeCheckpoints({ live, machine, background, ...log, ...options }));
  const quiet = resident && io.heap ? opening.use(quietMemory(io.heap, () => host)) : undefined;
  const observe = observer(options, log, { knowledge, trust, sandboxes, quiet, host: () => host });
  const host: Host = opening.use(
    new Host({
      store,
      models: () => live.models,
      toolsets: agentToolsets(live, { ...programs, clock, store, machine, mcp, knowledge, sites: sandboxes }),
      systemPrompt: knowledge.systemPrompt,
      policy: () => live.policy,
      clock,
      secrets,
      resident,
      repairJson: jsonrepair,
      reap: (dead) => reapAll(dead, { spawner, sandboxes }),
      closing: () => programs.closing(),
      report: log.report,
      peopleBudgets: people.budgets,
      personas,
      rememberPatterns: (patterns) => live.rememberPatterns(patterns),
      ...defined({ machines: cluster?.machines, peers: cluster?.peers, checkpoints, observe }),
    }),
  );
  await (opened = host).start();
  await Promise.all([knowledge.skills.ready(cwd), kb.ready()]);
  if (resident) startSoon({ mcp, sandboxes, quiet, cluster }, io, { store, live, host, log });
  const all = opening.move();
  const core = { host, store, settings, texts, epoch, log, live, machine, spawner, kb, sandboxes, mcp };
  const more = { knowledge, personas, people, trust, background };
  return {
    ...core,
    ...more,
    stopProcesses: (id) => (id === undefined ? background.stopAll() : background.stop(id)),
    commands: extraCommands({ live, background, sandboxes, knowledge, mcp, machine, spawner }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const quietMemory = (heap: Heap, host: () => Host): QuietMemory =>
  new QuietMemory({ clock: systemClock, heap, isBusy: () => host().running > 0 });

interface Soon extends Pick<Agent, "mcp" | "sandboxes"> {
  readonly quiet: QuietMemory | undefined;
  readonly cluster: Awaited<ReturnType<typeof joinCluster>>;
}

/** Begins what a process that stays will need. */
function startSoon(
  { mcp, sandboxes, quiet, cluster }: Soon,
  { pid, worksForOne }: Io,
  reporting: Omit<Parameters<typeof reportCluster>[1], "pid">,
): void {
  mcp.startSoon();
  // One person's sandbox is tried while the first model thinks: what that loads may not be needed for hours.
  if (worksForOne !== true) sandboxes.proveSoon(() => quiet?.worked());
  reportCluster(cluster?.hosts, { ...reporting, pid });
}

/** Ends what a dead host left running. Its containers end by themselves: nobody waits for the look at them. */
async function reapAll(
  dead: DeadHostProcesses,
  { spawner, sandboxes }: Pick<Agent, "spawner" | "sandboxes">,
): Promise<void> {
  sandboxes.removeContainersOf(dead.hostId).catch(() => undefined);
  await spawner.reap(dead);
}

interface ProgramParts {
  readonly store: HomeStore;
  readonly live: LiveSettings;
  readonly machine: Machine;
  readonly host: () => Host;
}

/** What starts programs, the walls around them, and the documents. Disposing ends the programs first. */
function openPrograms({ store, live, machine, host }: ProgramParts, options: AgentOptions) {
  const spawner = spawnerFor(store, { ...options, machine });
  const notes = new ProcessNotes(host);
  const clock = systemClock;
  const background = new BackgroundProcesses(spawner, clock, notes);
  const cache = join(live.current.paths.home, "cache");
  const isBusy = (id: string): boolean => background.list(id).some(({ exit }) => exit === undefined);
  const sandboxes = new SessionSandboxes({ live, machine, spawner, clock, isBusy, cache });
  const kb = homeKb(live, clock);
  return {
    spawner,
    background,
    sandboxes,
    kb,
    /** Ends the commands in the background, while it can be noted. */
    async closing() {
      await background[Symbol.asyncDispose]();
      await notes.written();
    },
    async [Symbol.asyncDispose]() {
      await background[Symbol.asyncDispose]();
      await spawner[Symbol.asyncDispose]();
      await sandboxes[Symbol.asyncDispose]();
      await kb[Symbol.asyncDispose]();
    },
  };
}

/** Milliseconds for which a folder is taken to have the files that it had. */
const LOOK_MS = 1000;

function observer(
  { log: choice, observe, resident }: AgentOptions,
  log: ProcessLog,
  parts: Pick<Agent, "knowledge" | "trust" | "sandboxes"> & {
    readonly host: () => Host;
    readonly quiet: QuietMemory | undefined;
  },
): HostOptions["observe"] {
  if (choice === undefined && !resident) return observe;
  // Many sessions that begin together begin in one folder.
  const leftOut = rememberFor({ ms: LOOK_MS, clock: systemClock }, (cwd: string): string | undefined => {
    const left = leftOutOf(cwd, parts);
    return left && leftOutWords(left);
  });
  const tell = choice === undefined ? undefined : turnLog(log.write, leftOut);
  const preparing = resident ? new PreparedSandboxes({ ...parts, clock: systemClock }) : undefined;
  return (session, row) => {
    observe?.(session, row);
    tell?.(session, row);
    preparing?.observe(session, row);
    parts.quiet?.worked();
  };
}

function logFor(
  io: Io,
  { paths }: AppSettings,
  { secrets, choice }: { readonly secrets: () => readonly string[]; readonly choice: LogChoice | undefined },
): ProcessLog {
  return openLog(io, { folder: paths.logs, redactor: redactorOf(secrets), choice });
}

async function homeSettings(io: Io): Promise<AppSettings> {
  const settings = await loadSettings(io.env, io.cwd, io.set);
  makeHome(settings.paths);
  return settings;
}

function liveSettings(
  settings: AppSettings,
  io: Io,
  { texts, rules }: Pick<AgentOptions, "rules"> & { readonly texts: HomeTexts },
): LiveSettings {
  const { env: environment, cwd, platform, set } = io;
  const live = new LiveSettings(settings, {
    environment,
    cwd,
    clock: systemClock,
    platform,
    texts,
    ...defined({ set }),
  });
  if (rules !== undefined) live.ruleHere(rules);
  return live;
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
