import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { ClientEvent } from "../../../src/rpc/client/events.ts";
import type { GatewayClient } from "../../../src/rpc/client/gateway-client.ts";
import { useGateway, useGatewayEvents } from "./gateway.ts";

/** Sessions of other processes tell this one nothing: they are looked at as often. */
const REFRESH_MS = 3000;

/** The questions that wait for somebody, of every session. */
const openQuestionsQuery = (client: GatewayClient) =>
  queryOptions({
    queryKey: ["questions"],
    queryFn: async () => (await client.request("question.list", {})).questions,
    refetchInterval: REFRESH_MS,
  });

/** Keeps the list of questions fresh, and gives it. */
export function useOpenQuestions() {
  const queries = useQueryClient();
  const refresh = useCallback(
    ({ type }: ClientEvent) => {
      if (type === "sessions.changed" || /\.(?:request|resolved|expire)$/.test(type))
        void queries.invalidateQueries({ queryKey: ["questions"] });
    },
    [queries],
  );
  useGatewayEvents(refresh);
  return useQuery(openQuestionsQuery(useGateway()));
}
