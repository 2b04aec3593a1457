import type { RecordDraft, Records } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { RecordSpace, type ValuePage } from "../work/record-space.ts";
import { isJobRunOver, type Job, type JobRun } from "./job.ts";

const JOBS = "job";
const RUNS = "job.run";
const RUNS_KEPT_MS = 30 * 24 * 3_600_000;
const MOST = 10_000;

/** A run that is changed; with `waitUntil` any process may take it up from then on, Unix milliseconds. */
export type ChangedRun = JobRun & { readonly waitUntil?: number };

/** A run that this process has claimed. */
export interface ClaimedRun {
  readonly run: Pick<JobRun, "id" | "jobId">;
  readonly isClaimed: () => Promise<boolean>;
  /** Says how the run is after it was carried out: over, or to be done again later. */
  readonly done: (run: ChangedRun | undefined) => Promise<void>;
}

/** A run as its machine finds it: its record is in the list of all. */
interface MachineRun extends Pick<JobRun, "id" | "jobId"> {
  readonly dueAt: number;
}

/** The jobs and runs of a home, as records. */
export class JobRecords {
  readonly jobs: RecordSpace<Job>;
  /** The claim of a run that is changed stays with this process until the run is over or waits again. */
  readonly runs: RecordSpace<ChangedRun>;

  readonly #records: Records;
  /** The id of this machine, where several share the records. */
  readonly #machine: string | undefined;

  constructor(records: Records, machine?: string) {
    this.#records = records;
    this.#machine = machine;
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

  /** Adds a run, unless it is there. @param claim - this process carries it out */
  async addRun(run: JobRun, claim = false): Promise<void> {
    await this.runs.add(run, claim && run.machine === undefined);
    const { id, jobId, dueAt, machine } = run;
    if (machine !== undefined) await this.#runsAt(machine).add({ id, jobId, dueAt }, claim);
  }

  /** Claims runs of this machine, and then those that any may carry out. @param room - how many may begin now */
  async claimRuns(room: () => number, begin: (claimed: ClaimedRun) => void): Promise<void> {
    const here = this.#machine === undefined ? undefined : this.#runsAt(this.#machine);
    if (here !== undefined && room() > 0)
      for (const run of await here.claimDue(room())) begin(claimedHere(here, run));
    if (room() === 0) return;
    for (const run of await this.runs.claimDue(room()))
      begin({ run, isClaimed: () => this.runs.isClaimed(run.id), done: () => Promise.resolve() });
  }

  #runsAt(machine: string): RecordSpace<MachineRun> {
    const space = `${RUNS}@${machine}`;
    return new RecordSpace(this.#records, { space, name: "Run", encode: machineRunDraft(space) });
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

function claimedHere(runs: RecordSpace<MachineRun>, { id, jobId }: MachineRun): ClaimedRun {
  return {
    run: { id, jobId },
    isClaimed: () => runs.isClaimed(id),
    done: async (run) => {
      const { waitUntil } = run ?? {};
      if (waitUntil === undefined) await runs.remove(id);
      else await runs.change(id, (now) => ({ ...now, dueAt: waitUntil }));
    },
  };
}

const machineRunDraft =
  (space: string) =>
  (run: MachineRun): RecordDraft => ({
    space,
    key: run.id,
    value: JSON.stringify(run),
    dueAt: run.dueAt,
    expiresAt: run.dueAt + RUNS_KEPT_MS,
  });

function runDraft({ waitUntil, ...run }: ChangedRun): RecordDraft {
  const base = { space: RUNS, key: run.id, parent: run.jobId, value: JSON.stringify(run) };
  if (isJobRunOver(run)) return { ...base, expiresAt: (run.endedAt ?? run.dueAt) + RUNS_KEPT_MS };
  // Its machine has a record of its own to claim.
  if (run.machine !== undefined) return base;
  return { ...base, dueAt: waitUntil ?? run.startedAt ?? run.dueAt, claim: waitUntil === undefined };
}

export const jobNotFound = (id: string): HostError =>
  new HostError("not_found", "Job not found", { details: { subject: id } });
