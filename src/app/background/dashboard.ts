import { type AuditDraft, AuditLog, openDashboard } from "../../dashboard/index.ts";
import { type Peer, RpcGateway } from "../../rpc/index.ts";
import { SocketGateway } from "../../rpc/transport/web-socket.ts";
import { programFile } from "../../shared/files/program-file.ts";
import type { Agent } from "../compose.ts";
import { dashboardConfig, isDashboardEnabled } from "../config/dashboard.ts";
import { memberApp } from "../people/member-app.ts";
import { pageRoutes } from "../dashboard/page-routes.ts";
import { machineNames } from "../process/machine-names.ts";
import { gatewayPorts } from "../rpc/gateway-ports.ts";
import { providerFetch } from "../dashboard/provider-fetch.ts";
import { activationScreen } from "./activation-screen.ts";
import type { Connector, ConnectorKind, ConnectorContext } from "./connector.ts";
import { noteDashboard } from "./running-dashboard.ts";

/** The operator dashboard on its own port. */
export const DASHBOARD_CONNECTOR: ConnectorKind = {
  name: "dashboard",
  platform: "dashboard",
  switches: "DASHBOARD_ENABLED=true (or platforms.dashboard.enabled)",
  isEnabled: isDashboardEnabled,
  check: (settings) => void dashboardConfig(settings, []),
  start,
};

/** Methods that run programs of the machine: pages need none of them. */
const REFUSED: ReadonlySet<string> = new Set(["cli.exec", "shell.exec"]);

/** Milliseconds after which open connections are cut. */
const GOODBYE_MS = 2000;

async function start(agent: Agent, context: ConnectorContext): Promise<Connector> {
  const { io, log, services } = context;
  const { host, settings, store } = agent;
  const config = dashboardConfig(settings, machineNames());
  const gateway = new RpcGateway(host, gatewayPorts(io, agent));
  const nobody = { isCredential: () => false };
  const socket = new SocketGateway((wire) => gateway.accept(wire), { admission: nobody });
  const unsubscribe = services.chat.subscribe((platform, state) =>
    gateway.announceConnector(platform, state),
  );
  const close = (): void => {
    unsubscribe();
    gateway.close();
    socket.close();
  };
  const audit = new AuditLog(store.records, host.services);
  const app = memberApp(agent, { sms: () => services.senders("sms"), audit });
  try {
    const dashboard = await openDashboard({
      host,
      records: store.records,
      log,
      pages: new URL(".", programFile(import.meta.url, { source: "../../../dist/web/x", built: "web/x" }))
        .pathname,
      hostNames: config.hostNames,
      guest: app,
      routes: pageRoutes({ agent, ...context }),
      ...(config.openId === undefined
        ? {}
        : { openId: { settings: config.openId, fetch: providerFetch(config.openId.issuer, settings.env) } }),
      gateway: (handshake, actor) => socket.takeOver(handshake, operatorPeer(actor, audit)),
      ...(config.form === "box"
        ? { activation: activationScreen(io, settings.paths.home, config.licenceKey) }
        : {}),
    });
    const listening = await dashboard.listen(config);
    app.start();
    const noted = await noteDashboard(store.records, listening.url);
    return {
      title: `dashboard on ${listening.url}/ (agent dashboard prints an address that signs you in)`,
      drain() {
        gateway.announceEnd("The dashboard is shutting down.");
        app.sayGoodbye();
      },
      async close() {
        await noted[Symbol.asyncDispose]();
        dashboard.close();
        await app.close();
        close();
        await listening.close(GOODBYE_MS);
      },
    };
  } catch (thrown) {
    await app.close();
    close();
    throw thrown;
  }
}

/** The operator at the gateway: what they change there is in the audit log, as what they change elsewhere. */
const operatorPeer = (actor: Pick<AuditDraft, "who" | "from">, audit: AuditLog): Peer => ({
  from: { surface: "dashboard", client: actor.who },
  refused: REFUSED,
  note: ({ method, refused, ...details }) =>
    audit.note({ ...actor, action: refused === true ? `${method}.refused` : method, ...details }),
});
