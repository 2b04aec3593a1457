import { argument, command, commandGroup, flagOff, JSON_FLAG, option, positive } from "../command.ts";
import { CHANGED_JOB, NEW_JOB } from "./job-flags.ts";

const ID = argument("<id>");

/** `agent jobs`: everything that the jobs API can do. */
export const JOBS_COMMAND = commandGroup("jobs", "prompts that run on a schedule", [
  command("list", "list the active jobs", {
    takes: { all: flagOff("paused and completed ones too", "a"), json: JSON_FLAG },
    load: async () => (await import("./jobs.ts")).listJobs,
  }),
  command("show", "show a job with its last run", {
    takes: { id: ID, json: JSON_FLAG },
    load: async () => (await import("./jobs.ts")).showJob,
  }),
  command("runs", "list the runs of a job, and the due times that were missed", {
    takes: {
      id: ID,
      limit: option("<count>", "at most so many", { short: "n", read: positive, otherwise: 20 }),
      json: JSON_FLAG,
    },
    load: async () => (await import("./jobs.ts")).listRuns,
  }),
  command("create", "make a job", {
    aliases: ["add"],
    takes: NEW_JOB,
    load: async () => (await import("./jobs.ts")).createJob,
  }),
  command("edit", "change a job", {
    takes: CHANGED_JOB,
    load: async () => (await import("./jobs.ts")).editJob,
  }),
  command("pause", "let due times pass", {
    takes: { id: ID, reason: option("<text>", "why, for whoever looks at it") },
    load: async () => (await import("./jobs.ts")).pauseJob,
  }),
  command("resume", "go on with the next due time", {
    takes: { id: ID },
    load: async () => (await import("./jobs.ts")).resumeJob,
  }),
  command("remove", "remove a job and stop its run", {
    aliases: ["rm"],
    takes: { id: ID },
    load: async () => (await import("./jobs.ts")).removeJob,
  }),
  command("run", "run a job now, here, and print its answer; its schedule stays as it is", {
    takes: { id: ID, extra: argument("[extra]", "words added to the prompt for this run") },
    load: async () => (await import("./jobs.ts")).runJob,
  }),
  command("tick", "run what is due now and wait for it; `agent gateway` does so all the time", {
    load: async () => (await import("./jobs.ts")).tick,
  }),
]);
