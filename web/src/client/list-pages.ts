import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { ask } from "./dashboard-api.ts";

interface ListPage<Entry> {
  readonly data: readonly Entry[];
  readonly next?: string | number;
}

/** A list as far as it was asked for. */
interface ListPages<Entry> {
  /** `undefined` until they are known. */
  readonly entries: readonly Entry[] | undefined;
  /** Asks for the next page; absent at the end. */
  readonly more: (() => void) | undefined;
  readonly error: Error | null;
}

const REFRESH_MS = 5000;

/** A list of the dashboard's API, page by page, as it is now. */
export function useListPages<Entry>(
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
  refreshMs = REFRESH_MS,
): ListPages<Entry> {
  const { data, hasNextPage, fetchNextPage, error } = useInfiniteQuery({
    queryKey: [path, query],
    queryFn: ({ pageParam }) => ask<ListPage<Entry>>("GET", addressOf(path, { ...query, after: pageParam })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next === undefined ? undefined : String(next)),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
  return {
    entries: data?.pages.flatMap((page) => page.data),
    more: hasNextPage ? () => void fetchNextPage() : undefined,
    error,
  };
}

function addressOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
