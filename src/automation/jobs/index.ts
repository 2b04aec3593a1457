export type { Job, JobRun } from "./job.ts";
export {
  decodeJobDraft,
  decodeJobPatch,
  decodeRunExtra,
  JobDraftBody,
  JobPatchBody,
  JobRunBody,
} from "./job-input.ts";
export { encodeJob, encodeJobRun, encodeOneJob, JobRecord, JobRunRecord } from "./job-json.ts";
export { JobRecords } from "./job-records.ts";
export { type JobMessage, JobRunner } from "./job-runner.ts";
export { Jobs } from "./jobs.ts";
export { Scheduler } from "./scheduler.ts";
