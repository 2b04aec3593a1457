import { type Agent, openAgent } from "../../app/compose.ts";
import { CHAT_CONNECTORS } from "../../app/background/chat-connector.ts";
import { DASHBOARD_CONNECTOR } from "../../app/background/dashboard.ts";
import { runningDashboard } from "../../app/background/running-dashboard.ts";
import { EXIT, type Io, write, writeLines } from "../../app/process/io.ts";
import { EntryCodes } from "../../dashboard/index.ts";
import { serveConnectors } from "../gateway/gateway.ts";
import type { LogFlags } from "../log-options.ts";
import { openBrowser } from "../terminal/open-browser.ts";

interface DashboardFlags extends LogFlags {
  /** Prints the address and opens nothing. */
  readonly "print-only"?: boolean;
}

/** `agent dashboard`: prints an address that signs in once. Serves the dashboard where none runs, until it is told to stop. */
export async function dashboard(io: Io, flags: DashboardFlags): Promise<number> {
  const running = await enterRunning(io, flags);
  if (running) return EXIT.completed;
  return serveConnectors(io, flags, {
    kinds: () => [DASHBOARD_CONNECTOR],
    // A gateway that runs as well keeps them: one process has a platform at a time.
    follows: CHAT_CONNECTORS,
    ready: async (agent) => void (await enter(io, agent, flags)),
  });
}

async function enterRunning(io: Io, flags: DashboardFlags): Promise<boolean> {
  await using agent = await openAgent(io, { resident: false });
  return await enter(io, agent, flags);
}

/** Prints and opens the address of the dashboard that runs; `false` when none does. */
async function enter(io: Io, { store, host }: Agent, flags: DashboardFlags): Promise<boolean> {
  const url = await runningDashboard(store.records);
  if (url === undefined) return false;
  const code = await new EntryCodes(store.records, host.services.clock).make();
  // Behind a # it is in no log of a server.
  const address = `${url}/#code=${code}`;
  await write(io.stdout, `${address}\n`);
  await writeLines(io.stderr, "It signs you in once, within ten minutes.\n");
  if (flags["print-only"] !== true) openBrowser(io, address);
  return true;
}
