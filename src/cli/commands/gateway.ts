import { HostError, toHostError } from "../../core/index.ts";
import { Metrics } from "../../http/index.ts";
import { openAgent } from "../compose.ts";
import { loadSettings } from "../config/settings.ts";
import { openDesk } from "../desk/desk.ts";
import { API_SERVER } from "../gateway/api-server.ts";
import type { Connector, ConnectorKind } from "../gateway/connector.ts";
import { WEBHOOK } from "../gateway/webhook.ts";
import { EXIT, type Io, write } from "../io.ts";
import { serverLog } from "../server-log.ts";

/** The connectors, in the order in which they start. */
const CONNECTORS: readonly ConnectorKind[] = [API_SERVER, WEBHOOK];

/** `agent gateway`: serves until it is told to stop. Gives the exit code. */
export async function gateway(io: Io): Promise<number> {
  const settings = await loadSettings(io.env, io.cwd);
  const enabled = CONNECTORS.filter((kind) => kind.isEnabled(settings));
  if (enabled.length === 0) return await refuse(io, nothingEnabled());
  for (const kind of enabled) {
    try {
      kind.check(settings);
    } catch (thrown) {
      return await refuse(io, `the ${kind.name} cannot start: ${toHostError(thrown).message}`);
    }
  }
  const metrics = new Metrics();
  await using agent = await openAgent(io, { resident: true, observe: (_session, row) => metrics.row(row) });
  const log = serverLog(io, (text) => agent.host.services.redactor().hide(text));
  await using desk = openDesk(agent, { cwd: io.cwd, log });
  const connectors: Connector[] = [];
  try {
    for (const kind of enabled) connectors.push(await kind.start(agent, { io, log, desk, metrics }));
  } catch (thrown) {
    await Promise.all(connectors.map((connector) => connector.close()));
    if (!(thrown instanceof HostError) || thrown.code !== "config_invalid") throw thrown;
    return await refuse(io, thrown.message);
  }
  for (const { title } of connectors) await write(io.stderr, `agent: ${title}\n`);
  desk.start();
  await stopSignal(io);
  log({ event: "gateway.draining", level: "info", running: agent.host.running });
  for (const connector of connectors) connector.drain();
  await desk.drain();
  await agent.host.close({ drainMs: settings.drainMs });
  await desk.scheduler.idle();
  await Promise.all(connectors.map((connector) => connector.close()));
  log({ event: "gateway.stopped", level: "info" });
  return EXIT.completed;
}

const nothingEnabled = (): string => {
  const ways = CONNECTORS.map(({ name, switches }) => `${switches} for the ${name}`);
  return `the gateway has nothing to start. Set ${ways.join(", ")} in the environment or the .env file of the agent's home.`;
};

async function refuse(io: Io, message: string): Promise<number> {
  await write(io.stderr, `agent: ${message}\n`);
  return EXIT.usage;
}

/** Resolves at the first signal to stop; a second one ends the process at once. */
function stopSignal(io: Io): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    io.onSignal(signal, () => {
      if (asked) io.exit(EXIT.interrupted);
      asked = true;
      resolve();
    });
  }
  return promise;
}
