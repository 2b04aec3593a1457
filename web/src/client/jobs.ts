import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { JobRunPageWire, JobWire } from "../../../src/dashboard/api/job-routes.ts";
import { ask } from "./dashboard-api.ts";

/** A job as the API shows it. */
export type Job = z.output<typeof JobWire>["job"];
/** A run of a job as the API shows it. */
export type JobRun = z.output<typeof JobRunPageWire>["data"][number];

const REFRESH_MS = 5000;

/** The address of a job in the API. */
export const jobPath = (id: string): string => `/jobs/${encodeURIComponent(id)}`;

/** One job with its next due times. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: [jobPath(id)],
    queryFn: async () => (await ask<z.output<typeof JobWire>>("GET", jobPath(id))).job,
    refetchInterval: REFRESH_MS,
  });

interface JobChange {
  readonly method: "POST" | "PATCH" | "DELETE";
  /** Below `/jobs`. */
  readonly path?: string;
  readonly body?: unknown;
}

/** Changes a job, or makes one, and lets all that shows it look again. */
export function useJobChange(onDone: (job: Job | undefined) => void = () => undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ method, path = "", body }: JobChange) =>
      ask<{ readonly job?: Job }>(method, `/jobs${path}`, body),
    onSuccess: async ({ job }) => {
      onDone(job);
      await queries.invalidateQueries({
        predicate: ({ queryKey: [key] }) => String(key).startsWith("/jobs"),
      });
    },
  });
}
