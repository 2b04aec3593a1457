import { type Clock, type HostError, toHostError } from "../core/index.ts";
import { isOver, type Job, type JobRun } from "./job.ts";
import type { JobRecords } from "./job-records.ts";
import type { JobRunner } from "./job-runner.ts";
import { type Dues, nextDue, sortDues } from "./schedule.ts";

export interface SchedulerOptions {
  readonly records: JobRecords;
  readonly runner: JobRunner;
  readonly clock: Clock;
  readonly zone: string;
  /** Told of failures that reach no caller. */
  readonly report: (error: HostError) => void;
  /** Runs that this process carries out at once; 4 by default. */
  readonly concurrency?: number;
  /** Milliseconds between two looks; 1,000 by default. */
  readonly tickMs?: number;
}

const TICK_MS = 1000;
const CONCURRENCY = 4;
const JOBS_A_STEP = 100;
const RUNS_LOOKED_AT = 20;

/**
 * Turns due times into runs, and carries them out. Any number of processes may do so on one home: a due time becomes
 * one run, whoever sees it first, and a run is carried out by one of them.
 */
export class Scheduler implements AsyncDisposable {
  readonly #options: SchedulerOptions;
  readonly #life = new AbortController();
  #stopped = false;
  readonly #running = new Set<Promise<unknown>>();
  #ticking: Promise<void> | undefined;
  #cancel: () => void = () => undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Looks again and again from now on. */
  start(): void {
    if (this.#stopped) return;
    const { clock, report, tickMs = TICK_MS } = this.#options;
    void this.tick()
      .catch((thrown: unknown) => report(toHostError(thrown)))
      .finally(() => {
        if (!this.#stopped) this.#cancel = clock.after(tickMs, () => this.start());
      });
  }

  /** Looks once: makes runs of what is due, and begins as many runs as there is room for. */
  tick(): Promise<void> {
    this.#ticking ??= this.#look().finally(() => (this.#ticking = undefined));
    return this.#ticking;
  }

  /** Resolves when no run is in flight in this process. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Begins nothing new; runs in flight go on. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#ticking?.catch(() => undefined);
  }

  /** Leaves runs in flight to whichever process comes next. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#life.abort();
    await this.idle();
  }

  async #look(): Promise<void> {
    const { records, concurrency = CONCURRENCY } = this.#options;
    for (;;) {
      const due = await records.claimJobs(JOBS_A_STEP);
      for (const job of due) await this.#fire(job);
      if (due.length < JOBS_A_STEP) break;
    }
    const room = concurrency - this.#running.size;
    if (room <= 0 || this.#stopped) return;
    for (const run of await records.claimRuns(room)) this.#begin(run);
  }

  #begin(run: JobRun): void {
    const { runner, report } = this.#options;
    const running = runner
      .execute(run, this.#life.signal)
      .catch((thrown: unknown) => {
        // Whoever comes next takes it up; that is no failure.
        if (!this.#life.signal.aborted) report(toHostError(thrown));
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** First the runs, then the next due time: a process that dies in between is followed by one that adds nothing twice. */
  async #fire({ id, schedule, nextRunAt }: Job): Promise<void> {
    const { records, clock, zone } = this.#options;
    if (nextRunAt === undefined) return;
    const now = clock.now();
    const dues = sortDues(schedule, { due: nextRunAt, now, zone });
    const previous = dues.run === undefined ? undefined : await this.#openRun(id);
    if (dues.missed !== undefined) await records.addRun(missedRun(id, dues.missed, LATE));
    if (dues.run !== undefined && previous !== undefined) {
      const missed = { from: dues.run, to: dues.run, count: 1, more: false };
      await records.addRun(missedRun(id, missed, `The run before it (${previous.id}) was still going on.`));
    } else if (dues.run !== undefined) await records.addRun(dueRun(id, dues.run));
    const fired = dues.run !== undefined && previous === undefined;
    await this.#moveOn(id, nextRunAt, { ...dues, fired });
  }

  /** The job's scheduled run that is not over yet. */
  async #openRun(id: string): Promise<JobRun | undefined> {
    const runs = await this.#options.records.runs(id, RUNS_LOOKED_AT);
    return runs.find((run) => run.trigger === "schedule" && !isOver(run));
  }

  async #moveOn(id: string, due: number, { run, fired }: Dues & { readonly fired: boolean }): Promise<void> {
    const { records, clock, zone, report } = this.#options;
    try {
      await records.changeJob(id, (job) => {
        // Somebody changed its times meanwhile; what is due then is looked at anew.
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
      report(toHostError(thrown));
    }
  }
}

const LATE = "No scheduler was running at that time, or the clock was moved.";

const dueRun = (jobId: string, dueAt: number): JobRun => ({
  id: `${jobId}:${dueAt}`,
  jobId,
  trigger: "schedule",
  dueAt,
  status: "pending",
  attempt: 1,
});

const missedRun = (jobId: string, missed: NonNullable<Dues["missed"]>, reason: string): JobRun => ({
  // Of a due time that ran there is a run already; here the first one missed stands for all.
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
