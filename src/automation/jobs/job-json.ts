import { defined } from "../../shared/json/defined.ts";
import { z } from "zod";
import { isJobRunOver, type Job, type JobRun } from "./job.ts";
import { nextDues, type Schedule } from "./schedule.ts";
import { isoInZone } from "../../shared/text/zoned-time.ts";

const text = z.string().nullable();
const time = z.iso.datetime({ offset: true });
const noTime = time.nullable();
const names = z.array(z.string());

/** A run as clients get it; keys without a value are left out. */
export const JobRunRecord = z.object({
  id: z.string(),
  job_id: z.string(),
  trigger: z.enum(["schedule", "manual"]),
  status: z.enum(["pending", "running", "ok", "error", "cancelled", "missed"]),
  due_at: time,
  started_at: time.optional(),
  ended_at: time.optional(),
  attempt: z.int(),
  session_id: z.string().optional(),
  output: z.string().optional(),
  error: z.string().optional(),
  reason: z.string().optional(),
  missed: z.object({ from: time, to: time, count: z.int(), more: z.boolean() }).optional(),
});

/** A job as clients get it: times in the owner's zone, `null` in the keys that public clients expect to be there. */
export const JobRecord = z
  .object({
    id: z.string().regex(/^[0-9a-f]{12}$/),
    name: z.string(),
    prompt: z.string(),
    skills: names,
    skill: text,
    model: text,
    provider: text,
    base_url: text,
    provider_snapshot: text,
    model_snapshot: text,
    schedule: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("cron"), expr: z.string(), display: z.string() }),
      z.object({ kind: z.literal("interval"), minutes: z.number(), display: z.string() }),
      z.object({ kind: z.literal("once"), run_at: z.string(), display: z.string() }),
    ]),
    schedule_display: z.string(),
    repeat: z.object({ times: z.int().nullable(), completed: z.int() }),
    enabled: z.boolean(),
    state: z.enum(["scheduled", "paused", "completed", "error"]),
    paused_at: noTime,
    paused_reason: text,
    created_at: noTime,
    next_run_at: noTime,
    last_run_at: noTime,
    last_run_id: z.string().optional(),
    last_status: z.enum(["ok", "error"]).nullable(),
    last_error: text,
    last_delivery_error: text,
    failure_streak: z.int(),
    deliver: z.string(),
    origin: z
      .object({
        platform: z.string(),
        chat_id: z.string().optional(),
        thread_id: z.string().optional(),
      })
      .nullable(),
    enabled_toolsets: names.nullable(),
    persona: z.string().optional(),
    budget: z.object({ tokens: z.int().optional(), cost: z.number().optional() }).optional(),
    workdir: text,
    next_runs: z.array(time).exactOptional().meta({ description: "Of one job: its next due times." }),
    latest_execution: JobRunRecord.nullish().meta({ description: "Of lists: the newest run." }),
  })
  .meta({ title: "Job" });

/** A job as clients get it. */
export type JobRecord = z.output<typeof JobRecord>;
/** A run as clients get it. */
export type JobRunRecord = z.output<typeof JobRunRecord>;

const MOST_NEXT = 10;

/** A job as clients get it who ask for it alone: with its next due times. */
export function encodeOneJob(job: Job, zone: string): JobRecord {
  const { schedule, state, nextRunAt, repeat } = job;
  const left = repeat.times === null ? MOST_NEXT : repeat.times - repeat.completed;
  const most = state === "scheduled" ? Math.min(MOST_NEXT, left) : 0;
  const dues = nextDues(schedule, { first: nextRunAt, zone, most });
  return { ...encodeJob(job, zone), next_runs: dues.map((due) => isoInZone(due, zone)) };
}

/** A job as clients get it. */
export function encodeJob(job: Job, zone: string): JobRecord {
  const time = (at: number | undefined): string | null => (at === undefined ? null : isoInZone(at, zone));
  const { last, origin } = job;
  return {
    id: job.id,
    name: job.name,
    prompt: job.prompt,
    skills: [...job.skills],
    skill: job.skills[0] ?? null,
    model: job.model ?? null,
    provider: job.provider ?? null,
    base_url: job.baseUrl ?? null,
    provider_snapshot: job.snapshot?.provider ?? null,
    model_snapshot: job.snapshot?.model ?? null,
    schedule: encodeSchedule(job.schedule, zone),
    schedule_display: job.schedule.display,
    repeat: { ...job.repeat },
    enabled: job.state === "scheduled",
    state: job.state,
    paused_at: time(job.pausedAt),
    paused_reason: job.pausedReason ?? null,
    created_at: time(job.createdAt),
    next_run_at: time(job.nextRunAt),
    last_run_at: time(last?.at),
    ...defined({ last_run_id: last?.runId }),
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    last_delivery_error: last?.deliveryError ?? null,
    failure_streak: job.failureStreak,
    deliver: job.deliver,
    origin:
      origin === undefined
        ? null
        : { platform: origin.platform, ...defined({ chat_id: origin.chatId, thread_id: origin.threadId }) },
    enabled_toolsets: job.toolsets === undefined ? null : [...job.toolsets],
    ...defined({ persona: job.persona, budget: job.budget && defined(job.budget) }),
    workdir: job.workdir ?? null,
  };
}

function encodeSchedule(schedule: Schedule, zone: string): JobRecord["schedule"] {
  switch (schedule.kind) {
    case "cron":
    case "interval":
      return { ...schedule };
    case "once":
      return { kind: "once", run_at: isoInZone(schedule.runAt, zone), display: schedule.display };
  }
}

/** A run as clients get it; keys without a value are left out. */
export function encodeJobRun(run: JobRun, zone: string): JobRunRecord {
  const time = (ms: number): string => isoInZone(ms, zone);
  const timeOf = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : time(ms));
  const { missed } = run;
  return {
    id: run.id,
    job_id: run.jobId,
    trigger: run.trigger,
    status: run.status,
    due_at: time(run.dueAt),
    attempt: run.attempt,
    ...defined({
      started_at: timeOf(run.startedAt),
      ended_at: isJobRunOver(run) ? timeOf(run.endedAt) : undefined,
      session_id: run.sessionId,
      output: run.output,
      error: run.error,
      reason: run.reason,
      missed: missed && {
        from: time(missed.from),
        to: time(missed.to),
        count: missed.count,
        more: missed.more,
      },
    }),
  };
}
