import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { GatewayClient } from "../../../src/rpc/client/gateway-client.ts";
import type { Input, Result } from "../../../src/rpc/protocol/methods.ts";

/** A session in a list. */
export type SessionEntry = Result<"session.list">["sessions"][number];

const REFRESH_MS = 5000;
/** Sessions of one page of the list. */
const LISTED = 50;

/** The stored sessions, the newest activity first. */
export const sessionsQuery = (client: GatewayClient, filter: Input<"session.list"> = {}) =>
  queryOptions({
    queryKey: ["sessions", filter],
    queryFn: async () => (await client.request("session.list", filter)).sessions,
    refetchInterval: REFRESH_MS,
  });

/** The filters of a list of sessions. */
export type SessionFilter = Pick<Input<"session.list">, "platform" | "doing" | "person">;

/** Sessions page by page, the newest activity first, as they are now. */
export const sessionPagesQuery = (client: GatewayClient, filter: SessionFilter) =>
  infiniteQueryOptions({
    queryKey: ["sessions", "pages", filter],
    queryFn: ({ pageParam: cursor }) =>
      client.request("session.list", {
        ...filter,
        limit: LISTED,
        ...(cursor === undefined ? {} : { cursor }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** A session in which something was found, with the place. */
export type SessionHit = Result<"session.search">["hits"][number];

/** Sessions of one page of a search. */
const PAGE = 30;
/** Until all that was ever said is in the index. */
const READ_ON_MS = 1500;

/** The sessions in which some words were said, the best of the newest first. */
export const sessionSearchQuery = (client: GatewayClient, query: string, filter: SessionFilter) =>
  infiniteQueryOptions({
    queryKey: ["session-search", query, filter],
    queryFn: ({ pageParam }) =>
      client.request("session.search", {
        ...filter,
        query,
        limit: PAGE,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.pages.at(-1)?.complete === false ? READ_ON_MS : false),
    retry: false,
  });
