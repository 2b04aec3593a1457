import type { Machines, ModelRef } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { RandomHex } from "../../shared/crypto/random-hex.ts";
import { isJobRunOver, type Job, type JobRun } from "./job.ts";
import type { JobDraft, JobPatch } from "./job-input.ts";
import type { ValuePage } from "../work/record-space.ts";
import { jobNotFound, type JobRecords } from "./job-records.ts";
import { readSchedule } from "./read-schedule.ts";
import { nextDue, type Schedule } from "./schedule.ts";

/** The parts that jobs are checked and stored with. */
export interface JobsOptions {
  readonly records: JobRecords;
  readonly clock: Clock;
  readonly hex: RandomHex;
  /** IANA name of the zone in which schedules are meant. */
  readonly zone: string;
  /** Absent where no machines share the jobs. */
  readonly machines?: Machines | undefined;
  /** The model that a choice leads to. @throws HostError when it cannot be used */
  readonly resolveModel: (choice: ModelRef) => { readonly provider: string; readonly name: string };
  /** The provider that is configured at an address; `undefined` when none is. */
  readonly providerAt: (baseUrl: string) => string | undefined;
  /** @throws HostError `invalid_params` for a delivery target that cannot be meant */
  readonly checkDeliver: (deliver: string) => void;
  /** @throws HostError `invalid_params` for a toolset that is not there */
  readonly checkToolsets: (names: readonly string[]) => void;
  /** @throws HostError `invalid_params` for a persona that is not there, with those that are */
  readonly checkPersona: (name: string) => Promise<void>;
  /** Stops the session of a run; nothing when there is none. */
  readonly interrupt: (sessionId: string) => Promise<void>;
}

const DEFAULT_NAME = 50;
const RUNS_LOOKED_AT = 100;

/** The jobs of a home: makes, changes and removes them. Schedulers read the same records. */
export class Jobs {
  readonly #options: JobsOptions;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  get zone(): string {
    return this.#options.zone;
  }

  /** Oldest first. */
  list(): Promise<readonly Job[]> {
    return this.#options.records.list();
  }

  /** @throws HostError `not_found` */
  async get(id: string): Promise<Job> {
    const job = await this.#options.records.jobs.get(id);
    if (job === undefined) throw jobNotFound(id);
    return job;
  }

  /** The newest runs of a job first. */
  runs(id: string, limit: number): Promise<readonly JobRun[]> {
    return this.#options.records.runsOf(id, limit);
  }

  /** A page of a job's runs, the newest first. @throws HostError `not_found` */
  async pageOfRuns(
    id: string,
    page: { readonly after?: number; readonly limit: number },
  ): Promise<ValuePage<JobRun>> {
    await this.get(id);
    return await this.#options.records.pageOfRuns(id, page);
  }

  /** @throws HostError `invalid_params`, `model_*` for a provider or model that is not there */
  async create(draft: JobDraft): Promise<Job> {
    const { records, clock, hex, zone, checkDeliver, checkToolsets, checkPersona } = this.#options;
    const now = clock.now();
    const schedule = readSchedule(draft.schedule, { now, zone });
    const deliver = draft.deliver ?? "local";
    checkDeliver(deliver);
    const { baseUrl, model, workdir, toolsets, persona, budget, origin } = draft;
    checkToolsets(toolsets ?? []);
    if (persona !== undefined) await checkPersona(persona);
    const provider = this.#providerOf(draft.provider, baseUrl);
    const next = this.#first(schedule, now);
    for (;;) {
      const job: Job = {
        id: hex(6),
        name: draft.name ?? nameOf(draft),
        prompt: draft.prompt,
        skills: draft.skills,
        ...defined({ provider, baseUrl, model }),
        ...this.#snapshot(defined({ provider, model })),
        schedule,
        repeat: { times: draft.repeat ?? (schedule.kind === "once" ? 1 : null), completed: 0 },
        state: "scheduled",
        createdAt: now,
        ...defined({ nextRunAt: next }),
        failureStreak: 0,
        deliver,
        ...defined({ origin, workdir, machine: this.#machineOf(workdir), toolsets, persona, budget }),
      };
      const made = draft.paused === true ? paused(job, now, draft.pausedReason) : job;
      if (await records.jobs.add(made)) return made;
    }
  }

  /** @throws HostError `not_found`, `invalid_params`, `conflict` for a job that is over */
  async change(id: string, given: JobPatch): Promise<Job> {
    const { provider: named, baseUrl } = given;
    const chosen = baseUrl == null ? named : this.#providerOf(named ?? undefined, baseUrl);
    const patch: JobPatch = baseUrl === undefined ? given : { ...given, provider: chosen ?? null, baseUrl };
    const { records, clock, zone, checkDeliver, checkPersona } = this.#options;
    const now = clock.now();
    const schedule = patch.schedule === undefined ? undefined : readSchedule(patch.schedule, { now, zone });
    if (patch.deliver !== undefined) checkDeliver(patch.deliver);
    if (patch.persona) await checkPersona(patch.persona);
    return await records.changeJob(id, (job) => {
      const { provider: _p, baseUrl: _u, model: _m, budget: _b, persona: _c, ...plain } = job;
      const override = overrideOf(job, patch);
      if (patch.provider !== undefined || patch.model !== undefined) this.#snapshot(override);
      const kept = { ...plain, ...override };
      const { name = job.name, prompt = job.prompt, skills = job.skills, deliver = job.deliver } = patch;
      if (prompt.trim() === "" && skills.length === 0) {
        throw new HostError(
          "invalid_params",
          "There would be nothing left to run: keep a prompt or a skill.",
        );
      }
      const changed: Job = { ...kept, name, prompt, skills, deliver, repeat: repeatOf(job, patch, schedule) };
      const moved = schedule === undefined ? changed : this.#moved(changed, schedule, now);
      if (patch.enabled === undefined) return moved;
      return patch.enabled ? this.#resumed(moved, now) : paused(moved, now, undefined);
    });
  }

  /** Due times pass from now on without a run. @throws HostError `not_found`, `conflict` for a job that is over */
  async pause(id: string, reason?: string): Promise<Job> {
    const { records, clock } = this.#options;
    return await records.changeJob(id, (job) => paused(job, clock.now(), reason));
  }

  /** Goes on with the next due time that is still to come. @throws HostError `not_found`, `conflict` */
  async resume(id: string): Promise<Job> {
    const { records, clock } = this.#options;
    return await records.changeJob(id, (job) => this.#resumed(job, clock.now()));
  }

  /** Removes a job with its waiting runs, and stops the ones in flight. @throws HostError `not_found` */
  async remove(id: string): Promise<void> {
    const { records, clock, interrupt } = this.#options;
    if (!(await records.jobs.remove(id))) throw jobNotFound(id);
    const open = (await records.runsOf(id, RUNS_LOOKED_AT)).filter((run) => !isJobRunOver(run));
    for (const { id: runId } of open) {
      const cancelled = await records.runs.change(runId, (run) =>
        isJobRunOver(run)
          ? undefined
          : { ...run, status: "cancelled", endedAt: clock.now(), reason: "The job was deleted." },
      );
      if (cancelled?.sessionId !== undefined) await interrupt(cancelled.sessionId);
    }
  }

  /**
   * Records a run for now, outside the schedule; the job stays as it is, also when it is paused.
   *
   * @param claim - this process runs it; otherwise whichever scheduler comes first
   * @throws HostError `not_found`, `conflict` when its folder is on a machine that does not carry it out
   */
  async runNow(
    id: string,
    { extra, claim }: { readonly extra?: string; readonly claim: boolean },
  ): Promise<JobRun> {
    const { records, clock, hex } = this.#options;
    const job = await this.get(id);
    const run: JobRun = {
      id: `${job.id}:now-${hex(4)}`,
      jobId: job.id,
      trigger: "manual",
      dueAt: clock.now(),
      status: "pending",
      attempt: 1,
      ...defined({ extra, machine: job.machine?.id }),
    };
    await this.#checkMachine(job, claim);
    await records.addRun(run, claim);
    return run;
  }

  #machineOf(workdir: string | undefined): Job["machine"] {
    const { machines } = this.#options;
    return workdir !== undefined && machines?.keepsFiles(workdir) === true ? machines.here : undefined;
  }

  async #checkMachine({ id, machine }: Job, here: boolean): Promise<void> {
    const { machines } = this.#options;
    if (machine === undefined || machines === undefined || machine.id === machines.here.id) return;
    if (here) throw new HostError("conflict", `The folder of job ${id} is on ${machine.name}. Run it there.`);
    if (!(await machines.isThere(machine.id)))
      throw new HostError(
        "conflict",
        `The folder of job ${id} is on ${machine.name}, which cannot be reached.`,
      );
  }

  #first(schedule: Schedule, now: number): number | undefined {
    // A moment that has only just passed is due at once.
    if (schedule.kind === "once") return schedule.runAt;
    return nextDue(schedule, { after: now, zone: this.#options.zone, anchor: now });
  }

  /**
   * @throws HostError `invalid_params` for an address at which no provider is, or another than the one that is named
   */
  #providerOf(provider: string | undefined, baseUrl: string | undefined): string | undefined {
    if (baseUrl === undefined) return provider;
    const found = this.#options.providerAt(baseUrl);
    if (found !== undefined && (provider === undefined || provider === found)) return found;
    const why =
      found === undefined
        ? "no provider of config.yaml is at that address: put it under model.providers, or name a 'provider'"
        : `at that address is the provider ${found}, not ${provider ?? ""}`;
    throw new HostError("invalid_params", `'base_url': ${why}.`, { details: { subject: "base_url" } });
  }

  #snapshot({ provider, model }: ModelRef): Pick<Job, "snapshot"> {
    const chosen = provider !== undefined || model !== undefined;
    try {
      const resolved = this.#options.resolveModel(defined({ provider, model }));
      return { snapshot: { provider: resolved.provider, model: resolved.name } };
    } catch (thrown) {
      // Without a choice of its own the job follows the configuration, which may still be made.
      if (chosen) throw thrown;
      return {};
    }
  }

  #moved(job: Job, schedule: Schedule, now: number): Job {
    if (job.state === "completed" || job.state === "error") throw over(job);
    const { nextRunAt: _old, ...rest } = job;
    const next = this.#first(schedule, now);
    return { ...rest, schedule, ...defined({ nextRunAt: next }) };
  }

  #resumed(job: Job, now: number): Job {
    if (job.state === "scheduled") return job;
    if (job.state !== "paused") throw over(job);
    const { pausedAt: _at, pausedReason: _why, nextRunAt: _next, ...rest } = job;
    const { schedule, createdAt } = job;
    const next = nextDue(schedule, { after: now, zone: this.#options.zone, anchor: createdAt });
    if (next === undefined) {
      throw new HostError(
        "conflict",
        `Job ${job.id} was to run ${schedule.display}, which has passed. Change its schedule.`,
      );
    }
    return { ...rest, state: "scheduled", nextRunAt: next };
  }
}

function paused(job: Job, now: number, reason: string | undefined): Job {
  if (job.state === "paused") return job;
  if (job.state !== "scheduled") throw over(job);
  return { ...job, state: "paused", pausedAt: now, ...defined({ pausedReason: reason }) };
}

const over = ({ id, state }: Job): HostError =>
  new HostError("conflict", `Job ${id} is over (${state}). Make a new one.`);

const nameOf = ({ prompt, skills }: JobDraft): string => {
  const text = prompt.trim() === "" ? (skills[0] ?? "job") : prompt.trim().replaceAll(/\s+/g, " ");
  return text.slice(0, DEFAULT_NAME).toWellFormed().trim();
};

function overrideOf(
  job: Job,
  patch: JobPatch,
): Pick<Job, "provider" | "baseUrl" | "model" | "budget" | "persona"> {
  const isOther = patch.provider !== undefined || patch.baseUrl !== undefined;
  const baseUrl = isOther ? (patch.baseUrl ?? undefined) : job.baseUrl;
  const budget = patch.budget === undefined ? job.budget : (patch.budget ?? undefined);
  const provider = patch.provider === undefined ? job.provider : (patch.provider ?? undefined);
  const model = patch.model === undefined ? job.model : (patch.model ?? undefined);
  const persona = (patch.persona === undefined ? job.persona : patch.persona) || undefined;
  return defined({ provider: provider || undefined, baseUrl, model: model || undefined, budget, persona });
}

/** Gives how often a job runs: as asked; else once or for ever, when the new schedule is of the other kind. */
function repeatOf(
  { repeat, schedule: old }: Job,
  patch: JobPatch,
  schedule: Schedule | undefined,
): Job["repeat"] {
  if (patch.repeat !== undefined) return { ...repeat, times: patch.repeat };
  if (schedule === undefined || (schedule.kind === "once") === (old.kind === "once")) return repeat;
  return { ...repeat, times: schedule.kind === "once" ? repeat.completed + 1 : null };
}
