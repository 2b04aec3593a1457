import { isOver, type Job, type JobRun } from "./job.ts";
import type { Schedule } from "./schedule.ts";
import { isoInZone } from "./zoned-time.ts";

/** A job as clients get it: times in the owner's zone, `null` for what there is not. */
export function encodeJob(job: Job, zone: string): Record<string, unknown> {
  const time = (at: number | undefined): string | null => (at === undefined ? null : isoInZone(at, zone));
  const { last, origin } = job;
  return {
    id: job.id,
    name: job.name,
    prompt: job.prompt,
    skills: job.skills,
    skill: job.skills[0] ?? null,
    model: job.model ?? null,
    provider: job.provider ?? null,
    base_url: null,
    provider_snapshot: job.snapshot?.provider ?? null,
    model_snapshot: job.snapshot?.model ?? null,
    schedule: encodeSchedule(job.schedule, zone),
    schedule_display: job.schedule.display,
    repeat: job.repeat,
    enabled: job.state === "scheduled",
    state: job.state,
    paused_at: time(job.pausedAt),
    paused_reason: job.pausedReason ?? null,
    created_at: time(job.createdAt),
    next_run_at: time(job.nextRunAt),
    last_run_at: time(last?.at),
    last_run_id: last?.runId ?? null,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    last_delivery_error: last?.deliveryError ?? null,
    failure_streak: job.failureStreak,
    deliver: job.deliver,
    origin: origin === undefined ? null : encodeOrigin(origin),
    enabled_toolsets: job.toolsets ?? null,
    workdir: job.workdir ?? null,
  };
}

function encodeSchedule(schedule: Schedule, zone: string): Record<string, unknown> {
  switch (schedule.kind) {
    case "cron":
    case "interval":
      return { ...schedule };
    case "once":
      return { kind: "once", run_at: isoInZone(schedule.runAt, zone), display: schedule.display };
  }
}

const encodeOrigin = ({
  platform,
  chatId,
  threadId,
}: NonNullable<Job["origin"]>): Record<string, unknown> => ({
  platform,
  chat_id: chatId ?? null,
  ...(threadId === undefined ? {} : { thread_id: threadId }),
});

/** A run as clients get it. */
export function encodeRun(run: JobRun, zone: string): Record<string, unknown> {
  const time = (at: number | undefined): string | null => (at === undefined ? null : isoInZone(at, zone));
  const { missed } = run;
  return {
    id: run.id,
    job_id: run.jobId,
    trigger: run.trigger,
    status: run.status,
    due_at: time(run.dueAt),
    started_at: time(run.startedAt),
    ended_at: isOver(run) ? time(run.endedAt) : null,
    attempt: run.attempt,
    session_id: run.sessionId ?? null,
    output: run.output ?? null,
    error: run.error ?? null,
    reason: run.reason ?? null,
    ...(missed === undefined
      ? {}
      : { missed: { from: time(missed.from), to: time(missed.to), count: missed.count, more: missed.more } }),
  };
}
