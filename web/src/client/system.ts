import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { z } from "zod";
import type { ClusterState } from "../../../src/dashboard/api/cluster-routes.ts";
import type { DiskState, HealthList, SystemState } from "../../../src/dashboard/api/system-routes.ts";
import { ask } from "./dashboard-api.ts";

const STATE_MS = 5000;
const HEALTH_MS = 10_000;
const DISK_MS = 60_000;
const RESTART_LOOK_MS = 1000;

const stateQuery = queryOptions({
  queryKey: ["/system"],
  queryFn: () => ask<z.output<typeof SystemState>>("GET", "/system"),
});

/** The process that serves the page. */
export const useSystemState = () => useQuery({ ...stateQuery, refetchInterval: STATE_MS });

/** The checks that cost nothing, again and again; those that `checkAll` made, until the page is left. */
export function useHealth() {
  const cheap = useQuery({
    queryKey: ["/system/health"],
    queryFn: () => ask<z.output<typeof HealthList>>("GET", "/system/health"),
    refetchInterval: HEALTH_MS,
  });
  const all = useMutation({
    mutationFn: () => ask<z.output<typeof HealthList>>("POST", "/system/checks"),
  });
  return { cheap, all };
}

/** The machines that share the store. */
export const useCluster = () =>
  useQuery({
    queryKey: ["/system/cluster"],
    queryFn: () => ask<ClusterState>("GET", "/system/cluster"),
    refetchInterval: HEALTH_MS,
  });

/** The size of the home. */
export const useDisk = () =>
  useQuery({
    queryKey: ["/system/disk"],
    queryFn: () => ask<z.output<typeof DiskState>>("GET", "/system/disk"),
    refetchInterval: DISK_MS,
  });

/** A restart of the process, which is over when another one answers, or the same one from a later start. */
export function useRestart() {
  const queries = useQueryClient();
  const [since, setSince] = useState<number>();
  const { data } = useQuery({
    ...stateQuery,
    enabled: since !== undefined,
    refetchInterval: RESTART_LOOK_MS,
    retry: false,
  });
  const isOver = since !== undefined && data !== undefined && data.started_at > since;
  useEffect(() => {
    if (!isOver) return;
    setSince(undefined);
    void queries.invalidateQueries();
  }, [isOver, queries]);
  const restart = useMutation({
    mutationFn: (startedAt: number) => ask("POST", "/system/restart").then(() => setSince(startedAt)),
  });
  return { restart, isRestarting: restart.isPending || since !== undefined };
}
