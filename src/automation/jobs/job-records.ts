import type { RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { changeRecord } from "../work/change-record.ts";
import { isJobRunOver, type Job, type JobRun } from "./job.ts";

const JOBS = "job";
const RUNS = "job.run";
const RUNS_KEPT_MS = 30 * 24 * 3_600_000;
const MOST = 10_000;

/** A job or run with the version of its record. */
export interface Versioned<T> {
  readonly value: T;
  readonly version: number;
}

/** A run that was changed; with `waitUntil` any process may take it up from then on, Unix milliseconds. */
export type ChangedRun = JobRun & { readonly waitUntil?: number };

/** The jobs and runs of a home, as records. */
export class JobRecords {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async job(id: string): Promise<Versioned<Job> | undefined> {
    return await this.#found(JOBS, id, jobOf);
  }

  /** Oldest first. */
  async jobs(): Promise<readonly Job[]> {
    return (await this.#records.list({ space: JOBS, limit: MOST })).map(jobOf);
  }

  async addJob(job: Job): Promise<boolean> {
    return (await this.#records.add(jobDraft(job))).added;
  }

  removeJob(id: string): Promise<boolean> {
    return this.#records.remove(JOBS, id);
  }

  /**
   * Changes a job on its newest state.
   *
   * @param change - as `changeRecord` calls it
   * @throws HostError `not_found`
   */
  async changeJob(id: string, change: (job: Job) => Job | undefined): Promise<Job> {
    const form = { space: JOBS, key: id, name: `Job ${id}`, decode: jobOf, encode: jobDraft };
    const job = await changeRecord(this.#records, form, change);
    if (job === undefined) throw jobNotFound(id);
    return job;
  }

  /** Jobs whose time has come, claimed for this process. */
  async claimJobs(limit: number): Promise<readonly Job[]> {
    return (await this.#records.claimDue(JOBS, limit)).map(jobOf);
  }

  /** Adds a run unless it is there already. @param claim - this process runs it */
  async addRun(run: JobRun, claim = false): Promise<boolean> {
    return (await this.#records.add({ ...runDraft(run), claim })).added;
  }

  async run(id: string): Promise<Versioned<JobRun> | undefined> {
    return await this.#found(RUNS, id, runOf);
  }

  /** A job's runs, the newest first. */
  async runs(jobId: string, limit: number): Promise<readonly JobRun[]> {
    const list = await this.#records.list({ space: RUNS, parent: jobId, newestFirst: true, limit });
    return list.map(runOf);
  }

  /** Runs that wait, claimed for this process. */
  async claimRuns(limit: number): Promise<readonly JobRun[]> {
    return (await this.#records.claimDue(RUNS, limit)).map(runOf);
  }

  /**
   * Changes a run on its newest state; the claim stays with this process until the run is over or waits again.
   *
   * @returns the run as it is now, `undefined` when it is gone
   */
  async changeRun(id: string, change: (run: JobRun) => ChangedRun | undefined): Promise<JobRun | undefined> {
    return await changeRecord<JobRun, ChangedRun>(
      this.#records,
      { space: RUNS, key: id, name: `Run ${id}`, decode: runOf, encode: claimedDraft },
      change,
    );
  }

  async #found<T>(
    space: string,
    key: string,
    read: (record: StoredRecord) => T,
  ): Promise<Versioned<T> | undefined> {
    const record = await this.#records.get(space, key);
    return record && { value: read(record), version: record.version };
  }
}

function jobDraft(job: Job): RecordDraft {
  const due = job.state === "scheduled" && job.nextRunAt !== undefined ? { dueAt: job.nextRunAt } : {};
  return { space: JOBS, key: job.id, value: JSON.stringify(job), ...due };
}

function runDraft(run: JobRun, waitUntil?: number): RecordDraft {
  const base = { space: RUNS, key: run.id, parent: run.jobId, value: JSON.stringify(run) };
  if (!isJobRunOver(run)) return { ...base, dueAt: waitUntil ?? run.startedAt ?? run.dueAt };
  return { ...base, expiresAt: (run.endedAt ?? run.dueAt) + RUNS_KEPT_MS };
}

function claimedDraft({ waitUntil, ...run }: ChangedRun): RecordDraft {
  return { ...runDraft(run, waitUntil), claim: !isJobRunOver(run) && waitUntil === undefined };
}

// Only this file writes these spaces.
const jobOf = ({ value }: StoredRecord): Job => JSON.parse(value) as Job;
const runOf = ({ value }: StoredRecord): JobRun => JSON.parse(value) as JobRun;

export const jobNotFound = (id: string): HostError =>
  new HostError("not_found", "Job not found", { details: { subject: id } });
