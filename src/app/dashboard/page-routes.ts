import {
  type DashboardOptions,
  jobPageRoutes,
  memoryPageRoutes,
  modelPageRoutes,
} from "../../dashboard/index.ts";
import { jobsApi } from "../background/jobs-api.ts";
import type { BackgroundServices } from "../background/background-services.ts";
import type { Agent } from "../compose.ts";
import { modelPages } from "./model-pages.ts";
import { forget, memoryList } from "../knowledge/memory-list.ts";

/** The routes of the pages for which the gateway has no methods. */
export function pageRoutes(
  agent: Agent,
  { services }: { readonly services: BackgroundServices },
): DashboardOptions["routes"] {
  const { knowledge } = agent;
  return [
    ...jobPageRoutes(jobsApi(services)),
    ...modelPageRoutes(modelPages(agent)),
    ...memoryPageRoutes({
      list: () => memoryList(knowledge),
      forget: (wish, signal) => forget(knowledge, wish, signal),
    }),
  ];
}
