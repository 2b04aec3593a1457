import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { UpdateState } from "../../../src/dashboard/api/update-routes.ts";
import { ask } from "./dashboard-api.ts";

const REFRESH_MS = 60_000;
const RUNNING_MS = 1000;
const KEY = ["/update"];

/** The state of updates, and how to ask for one and to begin it. While one runs, the page looks every second. */
export function useUpdates() {
  const queries = useQueryClient();
  const begin = useMutation({
    /** @param _before - when the last update began that is known */
    mutationFn: (_before: number | undefined) => ask("POST", "/update"),
  });
  /** Its process needs a moment to say that it is there; one that never does is waited for no longer. */
  const isAwaited = (data: UpdateState | undefined): boolean =>
    begin.isSuccess && data?.last?.at === begin.variables && Date.now() - begin.submittedAt < REFRESH_MS;
  const state = useQuery({
    queryKey: KEY,
    queryFn: () => ask<UpdateState>("GET", "/update"),
    refetchInterval: ({ state: { data } }) =>
      data?.last?.running === true || isAwaited(data) ? RUNNING_MS : REFRESH_MS,
  });
  const look = useMutation({
    mutationFn: () => ask<UpdateState>("POST", "/update/ask"),
    onSuccess: (found) => queries.setQueryData(KEY, found),
  });
  return { state, look, begin };
}
