import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { Metrics, type ServerLog } from "../../http/index.ts";
import type { Host, HostOptions } from "../../core/index.ts";
import { redactorOf } from "../../shared/text/redact.ts";
import { secretValues } from "../../app/config/secrets.ts";
import { type LogFlags, logChoice } from "../log-options.ts";
import { type Agent, openAgent } from "../../app/compose.ts";
import { loadSettings, type AppSettings } from "../../app/config/settings.ts";
import { openServices } from "../../app/background/background-services.ts";
import type { ConnectorKind } from "../../app/background/connector.ts";
import { ConnectorRegistry } from "../../app/background/connector-registry.ts";
import { CONNECTORS } from "../../app/background/connectors.ts";
import { DASHBOARD_CONNECTOR } from "../../app/background/dashboard.ts";
import { GatewayHealth } from "../../app/background/gateway-health.ts";
import { noteRun } from "../../app/background/gateway-runs.ts";
import { asksDaily, updateCheck } from "../../app/update/daily-check.ts";
import { fleetReporter } from "../../app/background/fleet-reporter.ts";
import { LastResort } from "../../app/process/last-resort.ts";
import { setLateFlag } from "../../app/process/late-flags.ts";
import { openLog, type LogChoice, type ProcessLog } from "../../app/process/log.ts";
import { defined } from "../../shared/json/defined.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { keepProcessAlive } from "../../shared/async/keep-alive.ts";
import { counted } from "../../shared/text/counted.ts";
import { EXIT, type Io, writeLines } from "../../app/process/io.ts";
import { type StopKind, stopRequest } from "../../app/process/signals.ts";

/** `agent gateway`: serves until it is told to stop. Gives the exit code. */
export const gateway = (io: Io, flags: LogFlags): Promise<number> =>
  serveConnectors(io, flags, {
    kinds: (settings) => CONNECTORS.filter((kind) => kind.isEnabled(settings)),
    // Whoever switches from a page must keep the page.
    follows: CONNECTORS.filter((kind) => kind !== DASHBOARD_CONNECTOR),
  });

/** What a command serves. */
interface Serving {
  readonly kinds: (settings: AppSettings) => readonly ConnectorKind[];
  /** Those that are started and stopped as the settings say, while the process runs. */
  readonly follows: readonly ConnectorKind[];
  /** Called when all of them listen. */
  readonly ready?: (agent: Agent) => Promise<void>;
}

/** Serves connectors until the process is told to stop. Gives the exit code. */
export async function serveConnectors(io: Io, flags: LogFlags, serving: Serving): Promise<number> {
  const settings = await loadSettings(io.env, io.cwd, io.set).catch(asConfigFault);
  if (settings instanceof HostError) {
    await writeLines(io.stderr, `agent: ${settings.message}\n`);
    return EXIT.usage;
  }
  const choice = logChoice(flags);
  const { paths, env, config } = settings;
  const redactor = redactorOf(() => secretValues(env, config));
  const log = openLog(io, { folder: paths.logs, redactor, choice });
  const enabled = serving.kinds(settings);
  for (const kind of enabled) {
    try {
      kind.check(settings);
    } catch (thrown) {
      return refuse(log, `the ${kind.name} cannot start: ${toHostError(thrown).message}`);
    }
  }
  using last = new LastResort(io, systemClock);
  try {
    const told = await serve(io, { settings, enabled, choice, serving, last });
    if (told === "restart") io.startAnew?.();
    return EXIT.completed;
  } catch (thrown) {
    return refuse(log, asConfigFault(thrown).message);
  }
}

/** A mistake in the configuration; any other error is thrown on. */
function asConfigFault(thrown: unknown): HostError {
  if (thrown instanceof HostError && thrown.code === "config_invalid") return thrown;
  throw thrown;
}

/** The parts of a server that is to be opened. */
interface ServerParts {
  readonly settings: AppSettings;
  readonly enabled: readonly ConnectorKind[];
  readonly choice: LogChoice;
  readonly serving: Serving;
  readonly last: LastResort;
}

/** Opens everything, waits to be told to stop, and closes in this order: doors, turns, connections. */
async function serve(
  io: Io,
  { settings: { drainMs }, enabled, choice, serving, last }: ServerParts,
): Promise<StopKind> {
  const metrics = new Metrics();
  const observe: HostOptions["observe"] = (_session, row) => metrics.row(row);
  await using agent = await openAgent(io, { resident: true, log: choice, observe });
  const log = agent.log.write;
  await using services = openServices(agent, { cwd: io.cwd, log });
  await using reporter = fleetReporter(agent);
  await using open = new AsyncDisposableStack();
  const scheduled = (await services.jobs.list()).filter(({ state }) => state === "scheduled").length;
  const tells = services.events.addresses.list().some((address) => address.enabled);
  if (enabled.length === 0 && scheduled === 0 && !tells) throw new HostError("config_invalid", nothingToDo());
  await using run = await noteRun(agent.store.records, agent.host.services);
  const health = new GatewayHealth({
    io,
    kinds: enabled,
    sandboxes: agent.sandboxes,
    lastExit: run.lastExit,
  });
  const stop = stopRequest(io);
  using updates = updateCheck(io, agent, services.events);
  const context = { io, log, services, metrics, updates, ...defined({ restart: stop.restart }) };
  const connectors = open.use(new ConnectorRegistry({ agent, context, health }));
  await connectors.start(enabled);
  // Jobs alone hold no socket that would keep the process.
  const allowExit = keepProcessAlive();
  const stopped = stop.asked.finally(allowExit);
  for (const title of connectors.titles) agent.log.announce(title);
  if (scheduled > 0) agent.log.announce(`${counted(scheduled, "job")} on schedule`);
  void warnOfModel(agent.host, log);
  setLateFlag("steadyHeap");
  services.start();
  reporter?.start();
  if (asksDaily(io, agent.settings)) updates.start();
  connectors.follow(serving.follows);
  await run.ready();
  await serving.ready?.(agent);
  await stopped;
  last.start(drainMs, agent.log);
  log({ event: "gateway.draining", level: "info", running: agent.host.running });
  await connectors.drain();
  await services.drain();
  await agent.host.close({ drainMs });
  await services.scheduler.idle();
  await open.disposeAsync();
  await run.stopped();
  const told = stop.kind();
  log({ event: told === "restart" ? "gateway.restarting" : "gateway.stopped", level: "info" });
  return told;
}

/** Tells at the start what is wrong with the model that is served; whether one is configured is another matter. */
async function warnOfModel({ services }: Host, log: ServerLog): Promise<void> {
  try {
    const { signal } = new AbortController();
    const model = services.models().resolve({});
    if (model.provider === "demo")
      return log({ event: "model.demo", level: "warn", message: "The built-in demo model answers." });
    const message = await model.prepare?.(signal);
    if (message !== undefined) log({ event: "model.context", level: "warn", message });
  } catch (thrown) {
    log({ event: "model.missing", level: "warn", message: toHostError(thrown).message });
  }
}

const nothingToDo = (): string => {
  const ways = CONNECTORS.map(({ name, switches }) => `${switches} for the ${name}`);
  return `the gateway has nothing to start. Set ${ways.join(", ")} in the environment or the .env file of the agent's home, or make a job: agent jobs create.`;
};

function refuse(log: ProcessLog, message: string): number {
  log.announce(message, { event: "server.refused", level: "error" });
  return EXIT.usage;
}
