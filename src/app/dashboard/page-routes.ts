import {
  type DashboardOptions,
  backupPageRoutes,
  approvalRoutes,
  attentionRoutes,
  clusterPageRoutes,
  connectorPageRoutes,
  incomingPageRoutes,
  jobPageRoutes,
  kbPageRoutes,
  logPageRoutes,
  memoryPageRoutes,
  modelPageRoutes,
  outgoingPageRoutes,
  systemPageRoutes,
  pairingRoutes,
  personaPageRoutes,
  skillRoutes,
  updatePageRoutes,
  usageRoutes,
  userPageRoutes,
} from "../../dashboard/index.ts";
import { jobsApi } from "../background/jobs-api.ts";
import { attention } from "./attention.ts";
import { connectorPages, type ConnectorPageParts } from "./connector-pages.ts";
import { kbPages } from "./kb-pages.ts";
import { incomingPages, outgoingPages } from "./webhook-pages.ts";
import { keptRules, removeRule } from "../approvals/approval-rules.ts";
import { personaPages } from "./persona-pages.ts";
import { pairingPages } from "./pairing-pages.ts";
import { modelPages } from "./model-pages.ts";
import { backupPages } from "./backup-pages.ts";
import { updatePages } from "./update-pages.ts";
import { userPages } from "./user-pages.ts";
import { systemPages, type SystemPageParts } from "./system-pages.ts";
import { clusterStatus } from "../cluster/cluster-status.ts";
import { encodeCluster } from "../cluster/status-record.ts";
import { homeLogs } from "../system/home-logs.ts";
import { dailyUsage, encodeDailyUsage } from "../usage/daily-usage.ts";
import { forget, memoryList } from "../knowledge/memory-list.ts";

/** The routes of the pages for which the gateway has no methods. */
export function pageRoutes(parts: ConnectorPageParts & SystemPageParts): DashboardOptions["routes"] {
  const { agent, services } = parts;
  const { knowledge, live, settings } = agent;
  return [
    ...connectorPageRoutes(connectorPages(parts)),
    ...jobPageRoutes(jobsApi(services)),
    ...kbPageRoutes(kbPages(agent, services.documents)),
    ...modelPageRoutes(modelPages(agent)),
    ...attentionRoutes(attention(parts)),
    ...approvalRoutes({
      list: () => keptRules(live),
      remove: (rule) => removeRule(live, { text: rule }),
    }),
    ...pairingRoutes(pairingPages(agent)),
    ...personaPageRoutes(personaPages(agent, parts.io.cwd)),
    ...userPageRoutes(userPages(agent)),
    ...skillRoutes((name, on) => knowledge.skills.turn(name, { cwd: settings.paths.home, on })),
    ...usageRoutes(async (days) =>
      encodeDailyUsage(
        await dailyUsage(agent.store, { now: agent.host.services.clock.now(), days }),
        await agent.people.userOfSender(),
      ),
    ),
    ...memoryPageRoutes({
      list: () => memoryList(knowledge),
      forget: (wish, signal) => forget(knowledge, wish, signal),
    }),
    ...outgoingPageRoutes(outgoingPages(services.events)),
    ...incomingPageRoutes(incomingPages(agent, services)),
    ...systemPageRoutes(systemPages(parts)),
    ...clusterPageRoutes({
      state: async () => encodeCluster(await clusterStatus(live.current, agent.store)),
    }),
    ...updatePageRoutes(updatePages(parts.io, parts.updates)),
    ...backupPageRoutes(backupPages(settings.paths.home, parts.io)),
    ...logPageRoutes(homeLogs(settings.paths.logs, live.redactor)),
  ];
}
