import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { ClientEvent } from "../../../src/rpc/client/events.ts";
import type { ConnectorRow, TrafficRow } from "../../../src/dashboard/api/connector-routes.ts";
import { ask } from "./dashboard-api.ts";
import { useGatewayEvents } from "./gateway.ts";

/** Connectors of other processes tell this one nothing. */
const REFRESH_MS = 5000;
const TRAFFIC_MS = 60_000;

/** The connectors as they are now. */
export const connectorsQuery = queryOptions({
  queryKey: ["/connectors"],
  queryFn: async () => (await ask<{ readonly data: readonly ConnectorRow[] }>("GET", "/connectors")).data,
  refetchInterval: REFRESH_MS,
});

/** The messages of the last day, by platform. */
export const trafficQuery = queryOptions({
  queryKey: ["/connectors/traffic"],
  queryFn: async () => {
    const { data } = await ask<{ readonly data: readonly TrafficRow[] }>("GET", "/connectors/traffic");
    return new Map(data.map((row) => [row.platform, row]));
  },
  refetchInterval: TRAFFIC_MS,
});

/** Looks again at the connectors whenever one comes or goes. */
export function useConnectorEvents(): void {
  const queries = useQueryClient();
  useGatewayEvents(
    useCallback(
      ({ type }: ClientEvent) => {
        if (type === "connectors.changed")
          void queries.invalidateQueries({ queryKey: connectorsQuery.queryKey });
      },
      [queries],
    ),
  );
}

/** Asks something of a connector, and looks at all of them afterwards. */
export function useConnectorAction<Answer, Wish = void>(platform: string, verb: "setup" | "switch" | "test") {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wish: Wish) =>
      ask<Answer>("POST", `/connectors/${encodeURIComponent(platform)}/${verb}`, wish),
    onSettled: () => queries.invalidateQueries({ queryKey: connectorsQuery.queryKey }),
  });
}
