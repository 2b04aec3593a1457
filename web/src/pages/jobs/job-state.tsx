import type { Job, JobRun } from "../../client/jobs.ts";
import { Badge, type Tone } from "../../design/badge.tsx";

/** The states of jobs, in words. */
export const JOB_STATES: Readonly<Record<Job["state"], string>> = {
  scheduled: "On schedule",
  paused: "Paused",
  completed: "Completed",
  error: "Ended without a run",
};

const TONES: Readonly<Record<Job["state"], Tone>> = {
  scheduled: "good",
  paused: "warn",
  completed: "plain",
  error: "bad",
};

/** What a job does at present. */
export const JobState = ({ state }: Pick<Job, "state">) => (
  <Badge tone={TONES[state]}>{JOB_STATES[state]}</Badge>
);

const RUNS: Readonly<Record<JobRun["status"], readonly [Tone, string]>> = {
  pending: ["plain", "Waiting"],
  running: ["busy", "Running"],
  ok: ["good", "Done"],
  error: ["bad", "Failed"],
  cancelled: ["plain", "Cancelled"],
  missed: ["warn", "Missed"],
};

/** What became of a run. */
export function RunState({ status }: Pick<JobRun, "status">) {
  const [tone, words] = RUNS[status];
  return <Badge tone={tone}>{words}</Badge>;
}
