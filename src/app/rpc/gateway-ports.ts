import { sessionFolder } from "../config/terminal.ts";
import { systemClock } from "../../shared/async/clock.ts";
import type { GatewayPorts } from "../../rpc/index.ts";
import type { CommandSite } from "../../providers/tools/index.ts";
import { connectorsOf } from "../chat/connector-wire.ts";
import type { Agent } from "../compose.ts";
import type { Io } from "../process/io.ts";
import { packageVersion } from "../process/version.ts";
import { leftOutOf } from "../trust/workspace-trust.ts";
import { archivePort } from "./archive-port.ts";
import { processPort } from "./process-port.ts";
import { commandPort } from "./command-port.ts";
import { configPort } from "./config-port.ts";
import { agentFolders } from "../config/home.ts";
import { filePort } from "./file-port.ts";
import { mcpPort } from "./mcp-port.ts";
import { setupPort } from "./setup-port.ts";
import { skillPort } from "./skill-port.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Everything that the gateway asks of this process. */
export function gatewayPorts(io: Io, agent: Agent): GatewayPorts {
  const { live, machine, spawner, settings, background } = agent;
  const { home } = settings.paths;
  const { profile } = settings.config;
  const stopProcesses = agent.stopProcesses.bind(agent);
  return {
    about: {
      version: packageVersion(),
      profile: typeof profile === "string" ? profile : settings.paths.profile,
      home,
      epoch: agent.epoch(),
    },
    sessionFolder: () => sessionFolder(live.current, io.cwd),
    config: configPort(live),
    environment: { reload: () => live.reloadEnvironment() },
    files: filePort({ machine, clock: systemClock, apart: agentFolders(settings.paths, live.env) }),
    commands: commandPort({ machine, spawner, background, clock: systemClock, stopProcesses }),
    processes: processPort(background),
    archive: archivePort(home),
    setup: setupPort(live, io.platform),
    diff: unifiedDiff,
    mcp: mcpPort(agent.mcp),
    moreCommands: (cwd) => agent.commands(cwd),
    sandbox: { known: (id) => placeWordsOf(agent.sandboxes.known(id)) },
    skills: skillPort(agent.knowledge.skills),
    connectors: connectorsOf(() => live.current, agent.store.records),
    trust: {
      leftOut: (cwd) => leftOutOf(cwd, agent),
      decide: async (folder, trusted) =>
        void (await agent.trust.decide(folder, { trusted, now: systemClock.now() })),
    },
  };
}

function placeWordsOf(site: CommandSite | undefined) {
  if (site === undefined) return undefined;
  const why = site.place === "refused" ? site.reason : site.place === "outside" ? (site.why ?? "") : "";
  return { commands: site.place, why };
}
