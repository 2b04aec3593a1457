import type { RecordDraft, Records } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { RecordSpace, type ValuePage } from "../work/record-space.ts";
import { isJobRunOver, type Job, type JobRun } from "./job.ts";

const JOBS = "job";
const RUNS = "job.run";
const RUNS_KEPT_MS = 30 * 24 * 3_600_000;
const MOST = 10_000;

/** A run that is changed; with `waitUntil` any process may take it up from then on, Unix milliseconds. */
type ChangedRun = JobRun & { readonly waitUntil?: number };

/** The jobs and runs of a home, as records. */
export class JobRecords {
  readonly jobs: RecordSpace<Job>;
  /** The claim of a run that is changed stays with this process until the run is over or waits again. */
  readonly runs: RecordSpace<ChangedRun>;

  constructor(records: Records) {
    this.jobs = new RecordSpace(records, { space: JOBS, name: "Job", encode: jobDraft });
    this.runs = new RecordSpace(records, { space: RUNS, name: "Run", encode: runDraft });
  }

  /** Oldest first. */
  list(): Promise<readonly Job[]> {
    return this.jobs.list({ limit: MOST });
  }

  /** A job's runs, the newest first. */
  runsOf(jobId: string, limit: number): Promise<readonly JobRun[]> {
    return this.runs.list({ parent: jobId, newestFirst: true, limit });
  }

  /** A page of a job's runs, the newest first. */
  pageOfRuns(
    jobId: string,
    page: { readonly after?: number; readonly limit: number },
  ): Promise<ValuePage<JobRun>> {
    return this.runs.page({ parent: jobId, newestFirst: true, ...page });
  }

  /** Changes a job as `RecordSpace.change` does. @throws HostError `not_found` */
  async changeJob(id: string, change: (job: Job) => Job | undefined): Promise<Job> {
    const job = await this.jobs.change(id, change);
    if (job === undefined) throw jobNotFound(id);
    return job;
  }
}

function jobDraft(job: Job): RecordDraft {
  const due = job.state === "scheduled" && job.nextRunAt !== undefined ? { dueAt: job.nextRunAt } : {};
  return { space: JOBS, key: job.id, value: JSON.stringify(job), ...due };
}

function runDraft({ waitUntil, ...run }: ChangedRun): RecordDraft {
  const base = { space: RUNS, key: run.id, parent: run.jobId, value: JSON.stringify(run) };
  if (isJobRunOver(run)) return { ...base, expiresAt: (run.endedAt ?? run.dueAt) + RUNS_KEPT_MS };
  return { ...base, dueAt: waitUntil ?? run.startedAt ?? run.dueAt, claim: waitUntil === undefined };
}

export const jobNotFound = (id: string): HostError =>
  new HostError("not_found", "Job not found", { details: { subject: id } });
