import { type Host, type OnceResult, runOnce } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { isSilent } from "../delivery/index.ts";
import { attemptRun, runFailure } from "../work/attempt-run.ts";
import { isJobRunOver, type Job, type JobRun, runSession } from "./job.ts";
import type { ChangedRun, JobRecords } from "./job-records.ts";
import { nextDue } from "./schedule.ts";

/** The parts of a job runner. */
export interface JobRunnerOptions {
  readonly host: Host;
  readonly records: JobRecords;
  readonly clock: Clock;
  readonly zone: string;
  /** Folder in which jobs work that name none; absolute. */
  readonly cwd: string;
  /** The text of a skill of the home or of a folder, `undefined` when there is none of that name. */
  readonly loadSkill: (name: string, cwd: string) => Promise<string | undefined>;
  /** Takes a text for a job's targets; durable when it resolves, and taken once for each key. */
  readonly deliver: (message: JobMessage) => Promise<void>;
  /** Told of a run that failed, at least once; what is told is durable when it resolves. */
  readonly failed?: (job: Job, run: JobRun) => Promise<void>;
  /** Milliseconds without any event after which a run is stopped; 10 minutes by default. */
  readonly idleMs?: number;
}

/** A message of a run, for delivery. */
export interface JobMessage {
  readonly key: string;
  readonly job: Job;
  readonly run: JobRun;
  readonly text: string;
  readonly failed: boolean;
}

const IDLE_MS = 600_000;
const LONGEST_OUTPUT = 100_000;
const NOTICE_AFTER = 3;
const RETRY_AFTER_MS = [300_000, 900_000, 1_800_000] as const;
/** Failures that happen before a model has said anything, and may pass. */
const UNREACHED: ReadonlySet<string> = new Set([
  "provider_network",
  "provider_overloaded",
  "provider_rate_limit",
  "provider_stalled",
]);

/** A runner of jobs: each run has a session of its own, and runs once, also when another process began it and died. */
export class JobRunner {
  readonly #options: JobRunnerOptions;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /**
   * Carries out a run that this process has claimed, to its end.
   *
   * @throws HostError `interrupted` when `signal` aborts first: the run then waits for another process
   */
  async execute(
    { id, jobId }: Pick<JobRun, "id" | "jobId">,
    signal: AbortSignal,
  ): Promise<ChangedRun | undefined> {
    const { records, clock } = this.#options;
    const job = await records.jobs.get(jobId);
    const run = await records.runs.change(id, (run) => {
      if (isJobRunOver(run)) return undefined;
      if (job === undefined)
        return { ...run, status: "cancelled", endedAt: clock.now(), reason: "The job was deleted." };
      return {
        ...run,
        status: "running",
        sessionId: runSession(run),
        startedAt: run.startedAt ?? clock.now(),
      };
    });
    if (run === undefined || job === undefined || isJobRunOver(run)) return run;
    const result = await this.#perform(job, run, signal);
    const retryAt = this.#retryAt(job, run, result);
    if (retryAt !== undefined) {
      return await records.runs.change(id, (now) =>
        isJobRunOver(now)
          ? undefined
          : { ...now, status: "pending", attempt: now.attempt + 1, waitUntil: retryAt },
      );
    }
    return await this.#finish(job, ended(run, result, clock.now()));
  }

  async #perform(job: Job, run: JobRun, signal: AbortSignal): Promise<OnceResult> {
    const { clock, idleMs = IDLE_MS } = this.#options;
    let idle = false;
    using watch = idleWatch(clock, idleMs, () => {
      idle = true;
      void this.#stop(runSession(run));
    });
    const result = await attemptRun(signal, () => this.#once(job, run, { signal, touch: watch.touch }));
    if (!idle) return result;
    const message = `Stopped: nothing happened for ${idleMs / 1000} s.`;
    return { ...result, outcome: "failed", error: { code: "timeout", message } };
  }

  async #once(
    job: Job,
    run: JobRun,
    { signal, touch }: { readonly signal: AbortSignal; readonly touch: () => void },
  ): Promise<OnceResult> {
    const { host, cwd } = this.#options;
    const { provider, model, toolsets, budget, persona, workdir } = job;
    const settings = defined({ provider, model, toolsets, budget, persona });
    let begun = false;
    return await runOnce(host, {
      open: { id: runSession(run), platform: "job", source: "job", cwd: workdir ?? cwd, settings },
      submission: {
        text: await this.#prompt(job, run),
        from: { surface: "job", client: job.id },
        questions: { mode: "refuse", reason: "nobody watches a scheduled run" },
      },
      onEvent: () => {
        touch();
        if (!begun) void this.#stopIfUnwanted(run);
        begun = true;
      },
      signal,
    });
  }

  async #prompt(job: Job, { extra }: JobRun): Promise<string> {
    const { found, missing } = await this.#skills(job);
    const gone = missing.length === 0 ? "" : `(There is no skill ${missing.join(", ")}: do without.)`;
    const parts = [...found, job.prompt, extra ?? ""].filter((part) => part.trim() !== "");
    const text = parts.length === 0 ? "" : [...parts, gone].filter((part) => part !== "").join("\n\n");
    if (text === "") throw new HostError("not_found", `None of the skills exists: ${job.skills.join(", ")}.`);
    return text;
  }

  async #skills({ skills, workdir }: Job) {
    const { loadSkill, cwd } = this.#options;
    const found: string[] = [];
    const missing: string[] = [];
    for (const name of skills) {
      const text = await loadSkill(name, workdir ?? cwd);
      if (text === undefined) missing.push(name);
      else found.push(`<skill name="${name}">\n${text.trim()}\n</skill>`);
    }
    return { found, missing };
  }

  /** The job was deleted while its session was being made. */
  async #stopIfUnwanted(run: JobRun): Promise<void> {
    const { records, host } = this.#options;
    try {
      const now = await records.runs.get(run.id);
      if (now === undefined || isJobRunOver(now)) await this.#stop(runSession(run));
    } catch (thrown) {
      host.services.report(toHostError(thrown));
    }
  }

  async #stop(sessionId: string): Promise<void> {
    const { host } = this.#options;
    try {
      await (await host.session(sessionId)).interrupt({ from: { surface: "job" } });
    } catch (thrown) {
      host.services.report(toHostError(thrown));
    }
  }

  #retryAt(job: Job, run: JobRun, { outcome, text, error }: OnceResult): number | undefined {
    const wait = RETRY_AFTER_MS[run.attempt - 1];
    const unreached = outcome === "failed" && text === "" && error !== undefined && UNREACHED.has(error.code);
    if (!unreached || wait === undefined || job.schedule.kind === "once" || run.trigger === "manual")
      return undefined;
    const { clock, zone } = this.#options;
    const now = clock.now();
    const next = job.nextRunAt ?? nextDue(job.schedule, { after: now, zone, anchor: run.dueAt });
    return next !== undefined && next <= now + wait ? undefined : now + wait;
  }

  /** Every step may have been done before by a process that died: each is done once all the same. */
  async #finish(job: Job, run: JobRun): Promise<JobRun | undefined> {
    const { records, failed } = this.#options;
    if (run.status === "error") await failed?.(job, run);
    if (run.status !== "cancelled") {
      const noted = await this.#note(run);
      const streak = noted?.failureStreak ?? job.failureStreak + 1;
      await this.#tell(noted ?? job, run, streak);
    }
    return await records.runs.change(run.id, (now) => (isJobRunOver(now) ? undefined : run));
  }

  async #note(run: JobRun): Promise<Job | undefined> {
    const failed = run.status === "error";
    try {
      return await this.#options.records.changeJob(run.jobId, (job) => {
        if (job.last?.runId === run.id) return undefined;
        const { error } = run;
        return {
          ...job,
          failureStreak: failed ? job.failureStreak + 1 : 0,
          last: {
            runId: run.id,
            at: run.startedAt ?? run.dueAt,
            status: failed ? "error" : "ok",
            ...defined({ error }),
          },
        };
      });
    } catch (thrown) {
      if (thrown instanceof HostError && thrown.code === "not_found") return undefined;
      throw thrown;
    }
  }

  async #tell(job: Job, run: JobRun, streak: number): Promise<void> {
    const { deliver } = this.#options;
    if (run.status === "ok") {
      const text = run.output ?? "";
      if (text.trim() !== "" && !isSilent(text))
        await deliver({ key: run.id, job, run, text, failed: false });
    } else if (streak === NOTICE_AFTER || job.schedule.kind === "once" || run.trigger === "manual") {
      const often = streak > 1 ? ` ${streak} times in a row` : "";
      const text = `This job failed${often}: ${run.error ?? "no reason is known"}`;
      await deliver({ key: run.id, job, run, text, failed: true });
    }
  }
}

function ended(run: JobRun, result: OnceResult, now: number): JobRun {
  const base = { ...run, endedAt: now, output: result.text.slice(0, LONGEST_OUTPUT).toWellFormed() };
  switch (result.outcome) {
    case "completed":
      return { ...base, status: "ok" };
    case "cancelled":
      return { ...base, status: "cancelled", reason: "Somebody stopped the run." };
    case "failed":
    case "interrupted":
      return { ...base, status: "error", error: runFailure(result) };
  }
}

/** Calls `run` when nothing has touched it for `ms`. */
function idleWatch(clock: Clock, ms: number, run: () => void) {
  let touched = clock.monotonic();
  const look = (): void => {
    const left = touched + ms - clock.monotonic();
    if (left <= 0) run();
    else cancel = clock.after(left, look);
  };
  let cancel = clock.after(ms, look);
  return {
    touch: () => void (touched = clock.monotonic()),
    [Symbol.dispose]: () => cancel(),
  };
}
