import { type DashboardOptions, jobPageRoutes, memoryPageRoutes } from "../../dashboard/index.ts";
import { jobsApi } from "../background/jobs-api.ts";
import type { BackgroundServices } from "../background/background-services.ts";
import type { Agent } from "../compose.ts";
import { forget, memoryList } from "../knowledge/memory-list.ts";

/** The routes of the pages for which the gateway has no methods. */
export function pageRoutes(
  { knowledge }: Agent,
  { services }: { readonly services: BackgroundServices },
): DashboardOptions["routes"] {
  return [
    ...jobPageRoutes(jobsApi(services)),
    ...memoryPageRoutes({
      list: () => memoryList(knowledge),
      forget: (wish, signal) => forget(knowledge, wish, signal),
    }),
  ];
}
