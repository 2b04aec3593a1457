import { sessionFolder } from "../config/terminal.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { apiServer, type ApiServerOptions } from "../../http/index.ts";
import { RpcGateway } from "../../rpc/index.ts";
import type { Agent } from "../compose.ts";
import { connectorsOf } from "../chat/connector-wire.ts";
import { apiServerConfig, isApiServerEnabled } from "../config/api-server.ts";
import { jobsApi } from "./jobs-api.ts";
import { imageSource } from "../web/image-source.ts";
import { machineNames } from "../process/machine-names.ts";
import { gatewayPorts } from "../rpc/gateway-ports.ts";
import { gatewaySocket } from "../rpc/gateway-socket.ts";
import { skillEntries } from "../knowledge/skill-entries.ts";
import { processStats } from "../process/process-stats.ts";
import { ownerFetcher } from "../web/fetchers.ts";
import type { Connector, ConnectorKind, ConnectorContext } from "./connector.ts";

/** The API server, with the gateway's WebSocket on the same port. */
export const API_SERVER_CONNECTOR: ConnectorKind = {
  name: "API server",
  platform: "api_server",
  switches: "API_SERVER_ENABLED=true (or platforms.api_server.enabled)",
  isEnabled: isApiServerEnabled,
  check: (settings) => void apiServerConfig(settings, { workspace: "", hostNames: [] }),
  start,
};

/** Readers of streams get this long to take what they are told. */
const GOODBYE_MS = 2000;

async function start(
  agent: Agent,
  { io, log, metrics, health, services }: ConnectorContext,
): Promise<Connector> {
  const { settings, host, knowledge } = agent;
  const config = apiServerConfig(settings, {
    workspace: sessionFolder(settings, io.cwd),
    hostNames: machineNames(),
  });
  const server = apiServer(host, {
    settings: config.settings,
    images: imageSource(ownerFetcher(agent.live, host.services.clock, "refused")),
    stats: processStats(settings.paths.home),
    log,
    metrics,
    health,
    jobs: jobsApi(services),
    userOf: (id) => apiUser(agent, id),
    connectors: connectorsOf(() => agent.live.current, agent.store.records),
    skills: () => skillEntries(knowledge.skills, config.settings.workspace),
  });
  const gateway = new RpcGateway(host, gatewayPorts(io, agent));
  const { socket, logged } = gatewaySocket(gateway, settings, {
    log,
    hosts: config.settings.hostNames,
    keys: [config.settings.key],
  });
  const unsubscribe = services.chat.subscribe((platform, state) =>
    gateway.announceConnector(platform, state),
  );
  const close = (): void => {
    unsubscribe();
    server.close();
    gateway.close();
    socket.close();
  };
  const listening = await server
    .listen(config, (request, stream, head) => socket.upgrade(request, stream, head))
    .catch((thrown: unknown) => {
      close();
      throw thrown;
    });
  const webSocket = logged(`${listening.url.replace(/^http/, "ws")}/api/ws`);
  return {
    title: `API server on ${listening.url}/v1, its WebSocket on ${webSocket}`,
    drain() {
      server.drain();
      gateway.announceEnd("The gateway is shutting down.");
    },
    async close() {
      server.sayGoodbye();
      close();
      await listening.close(GOODBYE_MS);
    },
  };
}

async function apiUser(
  { people, host }: Agent,
  id: string,
): ReturnType<NonNullable<ApiServerOptions["userOf"]>> {
  const user = await people.roster.find(id);
  if (user === undefined) return undefined;
  people.roster.noteSeen(user).catch((thrown: unknown) => host.services.report(toHostError(thrown)));
  return { isDisabled: user.disabled === true, ...defined({ memoryScope: people.scopeOf(user) }) };
}
