import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { UpdateState } from "../../../src/dashboard/api/update-routes.ts";
import { ask } from "./dashboard-api.ts";

const REFRESH_MS = 60_000;
const RUNNING_MS = 1000;
const KEY = ["/update"];

/** The state of updates, and how to ask for one and to begin it. While one runs, the page looks every second. */
export function useUpdates() {
  const queries = useQueryClient();
  const state = useQuery({
    queryKey: KEY,
    queryFn: () => ask<UpdateState>("GET", "/update"),
    refetchInterval: ({ state: { data } }) => (data?.last?.running === true ? RUNNING_MS : REFRESH_MS),
  });
  const look = useMutation({
    mutationFn: () => ask<UpdateState>("POST", "/update/ask"),
    onSuccess: (found) => queries.setQueryData(KEY, found),
  });
  const begin = useMutation({
    mutationFn: () => ask("POST", "/update"),
    // Its process needs a moment to say that it is there.
    onSuccess: () => setTimeout(() => void queries.invalidateQueries({ queryKey: KEY }), RUNNING_MS),
  });
  return { state, look, begin };
}
