import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  IncomingCall,
  IncomingCallDetail,
  IncomingRoute,
  IncomingRoutesWire,
} from "../../../src/dashboard/api/incoming-routes.ts";
import type {
  AddressListWire,
  OutgoingPort,
  SentPageWire,
} from "../../../src/dashboard/api/outgoing-routes.ts";
import { ask } from "./dashboard-api.ts";

export type { IncomingCall, IncomingCallDetail, IncomingRoute };
/** An address that events are sent to. */
export type Address = z.output<typeof AddressListWire>["data"][number];
/** An event on its way to one address. */
export type SentEvent = z.output<typeof SentPageWire>["data"][number];
/** The same with what was sent and each try. */
export type SentEventDetail = Awaited<ReturnType<OutgoingPort["sentOne"]>>;

const REFRESH_MS = 5000;
const ALL = "/webhooks";

/** The addresses, and the events that there are. */
export const addressesQuery = queryOptions({
  queryKey: [`${ALL}/addresses`],
  queryFn: () => ask<z.output<typeof AddressListWire>>("GET", `${ALL}/addresses`),
  refetchInterval: REFRESH_MS,
});

/** The address of an address in the API. */
export const addressPath = (id: string): string => `${ALL}/addresses/${encodeURIComponent(id)}`;

/** One address. */
export const addressQuery = (id: string) =>
  queryOptions({
    queryKey: [addressPath(id)],
    queryFn: () => ask<Address>("GET", addressPath(id)),
    refetchInterval: REFRESH_MS,
  });

/** The address of an event in the API. */
export const sentPath = (id: string): string => `${ALL}/sent/${encodeURIComponent(id)}`;

/** An event that was sent. */
export const sentQuery = (id: string) =>
  queryOptions({
    queryKey: [sentPath(id)],
    queryFn: () => ask<SentEventDetail>("GET", sentPath(id)),
    refetchInterval: REFRESH_MS,
  });

/** The routes that other software calls. */
export const routesQuery = queryOptions({
  queryKey: [`${ALL}/routes`],
  queryFn: () => ask<z.output<typeof IncomingRoutesWire>>("GET", `${ALL}/routes`),
  refetchInterval: REFRESH_MS,
});

/** A call that came in. */
export const callQuery = (id: string) =>
  queryOptions({
    queryKey: [`${ALL}/calls/${id}`],
    queryFn: () => ask<IncomingCallDetail>("GET", `${ALL}/calls/${encodeURIComponent(id)}`),
    refetchInterval: REFRESH_MS,
  });

/** A request that changes something about webhooks. */
interface HookChange {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
}

/** Changes something, and lets all that shows webhooks look again. */
export function useHookChange<Answer = unknown>(onDone: (answer: Answer) => void = () => undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ method, path, body }: HookChange) => ask<Answer>(method, path, body),
    onSuccess: async (answer) => {
      onDone(answer);
      await queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => String(key).startsWith(ALL) });
    },
  });
}
