import { queryOptions } from "@tanstack/react-query";
import type { GatewayClient } from "../../../src/rpc/client/gateway-client.ts";
import type { Input, Result } from "../../../src/rpc/protocol/methods.ts";

/** A session in a list. */
export type SessionEntry = Result<"session.list">["sessions"][number];

const REFRESH_MS = 5000;

/** The stored sessions, the newest activity first. */
export const sessionsQuery = (client: GatewayClient, filter: Input<"session.list"> = {}) =>
  queryOptions({
    queryKey: ["sessions", filter],
    queryFn: async () => (await client.request("session.list", filter)).sessions,
    refetchInterval: REFRESH_MS,
  });
