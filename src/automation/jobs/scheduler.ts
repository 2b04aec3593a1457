import type { Machines } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import { isJobRunOver, type Job, type JobRun } from "./job.ts";
import type { JobRecords } from "./job-records.ts";
import type { JobRunner } from "./job-runner.ts";
import { type DueTimes, nextDue, sortDueTimes } from "./schedule.ts";

/** The parts of a scheduler, and its limits. */
export interface SchedulerOptions {
  readonly records: JobRecords;
  readonly runner: JobRunner;
  readonly clock: Clock;
  readonly zone: string;
  /** Absent where no machines share the jobs. */
  readonly machines?: Pick<Machines, "isThere"> | undefined;
  readonly report: (error: HostError) => void;
  /** Runs that this process carries out at once. */
  readonly concurrency: number;
}

const TICK_MS = 1000;
const RUNS_LOOKED_AT = 20;

/**
 * A scheduler, which turns due times into runs and carries them out. Any number of processes may do so on one home: a
 * due time becomes one run, and one of them carries it out.
 */
export class Scheduler extends PollingWorker {
  readonly #options: SchedulerOptions;

  constructor(options: SchedulerOptions) {
    const { clock, report, concurrency } = options;
    super({ clock, report, concurrency, everyMs: TICK_MS, poll: () => this.#look() });
    this.#options = options;
  }

  async #look(): Promise<void> {
    const { records, runner } = this.#options;
    await records.jobs.takeDue((job) => this.#fire(job));
    await records.claimRuns(
      () => this.capacity,
      ({ run, isClaimed, done }) => {
        const work = async (): Promise<void> => done(await runner.execute(run, this.signal));
        void this.trackClaimed({ work, isClaimed });
      },
    );
  }

  /**
   * First the runs, then the next due time: a process that dies in between is followed by one that adds nothing twice.
   */
  async #fire(job: Job): Promise<void> {
    const { records, clock, zone } = this.#options;
    const { id, schedule, nextRunAt } = job;
    if (nextRunAt === undefined) return;
    const now = clock.now();
    const dues = sortDueTimes(schedule, { due: nextRunAt, now, zone });
    const hindrance = dues.run === undefined ? undefined : await this.#hindrance(job);
    if (dues.missed !== undefined) await records.runs.add(missedRun(id, dues.missed, LATE));
    if (dues.run !== undefined && hindrance !== undefined) {
      const missed = { from: dues.run, to: dues.run, count: 1, more: false };
      await records.runs.add(missedRun(id, missed, hindrance));
    } else if (dues.run !== undefined) await records.addRun(dueRun(job, dues.run));
    const fired = dues.run !== undefined && hindrance === undefined;
    await this.#moveOn(id, nextRunAt, { ...dues, fired });
  }

  /** Why a job cannot run now. */
  async #hindrance({ id, machine }: Job): Promise<string | undefined> {
    const { machines } = this.#options;
    if (machine !== undefined && machines !== undefined && !(await machines.isThere(machine.id)))
      return `The folder of this job is on ${machine.name}, which cannot be reached.`;
    const previous = await this.#openRun(id);
    return previous && `The run before it (${previous.id}) was still going on.`;
  }

  /** The job's scheduled run that is not over yet. */
  async #openRun(id: string): Promise<JobRun | undefined> {
    const runs = await this.#options.records.runsOf(id, RUNS_LOOKED_AT);
    return runs.find((run) => run.trigger === "schedule" && !isJobRunOver(run));
  }

  async #moveOn(
    id: string,
    due: number,
    { run, fired }: DueTimes & { readonly fired: boolean },
  ): Promise<void> {
    const { records, clock, zone } = this.#options;
    try {
      await records.changeJob(id, (job) => {
        // The schedule was changed meanwhile: the next poll sees the new due time.
        if (job.nextRunAt !== due || job.state !== "scheduled") return undefined;
        const { nextRunAt: _due, ...rest } = job;
        const completed = job.repeat.completed + (fired ? 1 : 0);
        const repeat = { ...job.repeat, completed };
        const spent = repeat.times !== null && completed >= repeat.times;
        const next = spent ? undefined : nextDue(job.schedule, { after: clock.now(), zone, anchor: due });
        if (next !== undefined) return { ...rest, repeat, nextRunAt: next };
        const state = run === undefined && completed === 0 ? "error" : "completed";
        return { ...rest, repeat, state };
      });
    } catch (thrown) {
      // It was deleted meanwhile.
      if (toHostError(thrown).code !== "not_found") throw thrown;
    }
  }
}

const LATE = "No scheduler was running at that time, or the clock was moved.";

const dueRun = ({ id: jobId, machine }: Job, dueAt: number): JobRun => ({
  id: `${jobId}:${dueAt}`,
  jobId,
  ...defined({ machine: machine?.id }),
  trigger: "schedule",
  dueAt,
  status: "pending",
  attempt: 1,
});

const missedRun = (jobId: string, missed: NonNullable<DueTimes["missed"]>, reason: string): JobRun => ({
  // The first missed due time stands for all; a due time that ran has a run already.
  id: `${jobId}:${missed.from}`,
  jobId,
  trigger: "schedule",
  dueAt: missed.from,
  endedAt: missed.to,
  status: "missed",
  attempt: 1,
  reason,
  missed,
});
