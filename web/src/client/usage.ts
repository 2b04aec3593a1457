import { queryOptions } from "@tanstack/react-query";
import type { DailyUsageWire } from "../../../src/dashboard/api/usage-routes.ts";
import { ask } from "./dashboard-api.ts";

const REFRESH_MS = 60_000;
/** Older turns are still being read into the index. */
const READ_ON_MS = 2000;

/** The usage of the last days, today among them. */
export const usageQuery = (days: number) =>
  queryOptions({
    queryKey: ["/usage", days],
    queryFn: () => ask<DailyUsageWire>("GET", `/usage?days=${days}`),
    refetchInterval: ({ state: { data } }) => (data?.complete === false ? READ_ON_MS : REFRESH_MS),
  });
