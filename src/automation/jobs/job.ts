import type { Budget, HomeMachine } from "../../core/index.ts";
import type { MissedTimes, Schedule } from "./schedule.ts";

/** The state of a job: `completed` has no further runs, `error` ended without ever running. */
type JobState = "scheduled" | "paused" | "completed" | "error";

/** The place where a job was made; the delivery target `origin` is its chat. */
export interface JobOrigin {
  readonly platform: string;
  readonly chatId?: string;
  readonly threadId?: string;
}

/** A prompt that runs on a schedule, each run in a session of its own. Times are Unix milliseconds. */
export interface Job {
  /** 12 hex digits. */
  readonly id: string;
  readonly name: string;
  readonly prompt: string;
  /** The first one that exists is given to the agent with the prompt. */
  readonly skills: readonly string[];
  /** The owner's default when absent. */
  readonly provider?: string;
  /** By which its provider was chosen, when not by its name. */
  readonly baseUrl?: string;
  readonly model?: string;
  /** The default at the time the job was made. */
  readonly snapshot?: { readonly provider: string; readonly model: string };
  readonly schedule: Schedule;
  readonly repeat: { readonly times: number | null; readonly completed: number };
  readonly state: JobState;
  readonly pausedAt?: number;
  readonly pausedReason?: string;
  readonly createdAt: number;
  readonly nextRunAt?: number;
  readonly last?: LastRun;
  /** Failed runs since the last good one. */
  readonly failureStreak: number;
  /** Comma list of delivery targets. */
  readonly deliver: string;
  readonly origin?: JobOrigin;
  /** Folder in which runs work; that of the process that runs them when absent. */
  readonly workdir?: string;
  /** The machine on whose disk that folder is, where several share the jobs: it runs there and nowhere else. */
  readonly machine?: HomeMachine;
  readonly toolsets?: readonly string[];
  /** Name of the persona that answers; the owner's choice when absent. */
  readonly persona?: string;
  /** The budget of one run; the owner's limits when absent. */
  readonly budget?: Budget;
}

interface LastRun {
  readonly runId: string;
  readonly at: number;
  readonly status: "ok" | "error";
  readonly error?: string;
  readonly deliveryError?: string;
}

type RunStatus = "pending" | "running" | "ok" | "error" | "cancelled" | "missed";

/** One run of a job, or due times that passed without one. */
export interface JobRun {
  /** The job's id, then the due time in Unix milliseconds, or `now-` and 8 hex digits. */
  readonly id: string;
  readonly jobId: string;
  readonly trigger: "schedule" | "manual";
  readonly dueAt: number;
  readonly status: RunStatus;
  /** Counts from 1; each attempt has a session of its own. */
  readonly attempt: number;
  /** The id of the machine that alone carries it out. */
  readonly machine?: string;
  /** Added to the prompt for this run only. */
  readonly extra?: string;
  readonly sessionId?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly output?: string;
  readonly error?: string;
  /** Why due times were missed. */
  readonly reason?: string;
  readonly missed?: MissedTimes;
}

/** Nothing more will become of the run. */
export const isJobRunOver = ({ status }: JobRun): boolean => status !== "pending" && status !== "running";

/** The session in which a run's attempt takes place. */
export function runSession({ id, attempt }: Pick<JobRun, "id" | "attempt">): string {
  const base = `job_${id.replace(":", "_")}`;
  return attempt === 1 ? base : `${base}_${attempt}`;
}
