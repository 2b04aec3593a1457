import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useGateway } from "../client/gateway.ts";
import { type Entry, pastEntries } from "./live-session.ts";

/** What stands before the damage of a session that cannot be read to its end. */
interface ReadablePart {
  readonly entries: readonly Entry[];
  readonly hasOlder: boolean;
  /** Reads the messages before the oldest that is shown. */
  readonly readOlder: () => void;
  readonly error: Error | null;
}

/** Messages that are read at once. */
const PAGE = 200;

/** Reads a damaged session from its damage backwards. */
export function useReadablePart(id: string): ReadablePart {
  const client = useGateway();
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ["session.history", id],
    queryFn: ({ pageParam: before }) =>
      client.request("session.history", {
        session_id: id,
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
      }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ before }) => before,
  });
  const entries = useMemo(
    () => (data?.pages ?? []).toReversed().flatMap(({ messages }) => pastEntries(messages)),
    [data],
  );
  const readOlder = useCallback(() => {
    if (!isFetching) void fetchNextPage();
  }, [isFetching, fetchNextPage]);
  return { entries, hasOlder: hasNextPage, readOlder, error };
}
