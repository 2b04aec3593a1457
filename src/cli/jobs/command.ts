import { Command } from "commander";
import { amount, type Bind, json, number } from "../flags.ts";
import type { JobFlags } from "./jobs.ts";

const several = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** `agent jobs`: everything that the jobs API can do. */
export function jobsCommand(bind: Bind): Command {
  const jobs = new Command("jobs").description("prompts that run on a schedule");
  addReaders(jobs, bind);
  addWriters(jobs, bind);
  addRunners(jobs, bind);
  return jobs;
}

function addReaders(jobs: Command, bind: Bind): void {
  jobs
    .command("list", { isDefault: true })
    .description("list the active jobs")
    .option("-a, --all", "paused and completed ones too", false)
    .addOption(json())
    .action(
      bind<{ all: boolean; json: boolean }>(async (io, _args, flags) => {
        const { listJobs } = await import("./jobs.ts");
        return await listJobs(io, flags);
      }),
    );
  jobs
    .command("show")
    .description("show a job with its last run")
    .argument("<id>")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, [id = ""], flags) => {
        const { showJob } = await import("./jobs.ts");
        return await showJob(io, { id, ...flags });
      }),
    );
  jobs
    .command("runs")
    .description("list the runs of a job, and the due times that were missed")
    .argument("<id>")
    .option("-n, --limit <count>", "at most so many", number, 20)
    .addOption(json())
    .action(
      bind<{ limit: number; json: boolean }>(async (io, [id = ""], flags) => {
        const { listRuns } = await import("./jobs.ts");
        return await listRuns(io, { id, ...flags });
      }),
    );
}

const described = (command: Command): Command =>
  command
    .option("--name <name>", "its name; the prompt's first words by default")
    .option("--skill <name>", "load this skill; may be given several times", several)
    .option("--deliver <targets>", "local, origin, all, log, email, a platform; several with commas")
    .option("--repeat <count>", "so many runs, then it is completed", number)
    .option("--provider <name>", "a provider of config.yaml")
    .option("--base-url <address>", "the provider of config.yaml that is there")
    .option("--model <name>", "the model of that provider")
    .option("--max-tokens <count>", "tokens that one run may use; 0 is no limit", number)
    .option("--max-cost <dollars>", "US dollars that one run may cost; 0 is no limit", amount);

function addWriters(jobs: Command, bind: Bind): void {
  described(jobs.command("create"))
    .alias("add")
    .description("make a job")
    .argument("<schedule>", '"every 2h", "weekdays at 9am", "0 9 * * 1-5", "in 30m", "2026-03-01T09:00"')
    .argument("[prompt]", "what to do")
    .option("--workdir <folder>", "where it works; this folder by default")
    .option("--paused", "do not run it until it is resumed")
    .addOption(json())
    .action(
      bind<JobFlags & { json: boolean }>(async (io, [schedule = "", prompt], flags) => {
        const { createJob } = await import("./jobs.ts");
        return await createJob(io, { ...flags, schedule, ...(prompt === undefined ? {} : { prompt }) });
      }),
    );
  described(jobs.command("edit"))
    .description("change a job")
    .argument("<id>")
    .option("--schedule <schedule>", "when it runs")
    .option("--prompt <prompt>", "what it does")
    .action(
      bind<JobFlags>(async (io, [id = ""], flags) => {
        const { editJob } = await import("./jobs.ts");
        return await editJob(io, { id, ...flags });
      }),
    );
  jobs
    .command("pause")
    .description("let due times pass")
    .argument("<id>")
    .option("--reason <text>", "why, for whoever looks at it")
    .action(
      bind<{ reason?: string }>(async (io, [id = ""], { reason }) => {
        const { pauseJob } = await import("./jobs.ts");
        return await pauseJob(io, { id, reason });
      }),
    );
}

function addRunners(jobs: Command, bind: Bind): void {
  jobs
    .command("resume")
    .description("go on with the next due time")
    .argument("<id>")
    .action(
      bind(async (io, [id = ""]) => {
        const { resumeJob } = await import("./jobs.ts");
        return await resumeJob(io, id);
      }),
    );
  jobs
    .command("remove")
    .alias("rm")
    .description("remove a job and stop its run")
    .argument("<id>")
    .action(
      bind(async (io, [id = ""]) => {
        const { removeJob } = await import("./jobs.ts");
        return await removeJob(io, id);
      }),
    );
  jobs
    .command("run")
    .description("run a job now, here, and print its answer; its schedule stays as it is")
    .argument("<id>")
    .argument("[extra]", "words added to the prompt for this run")
    .action(
      bind(async (io, [id = "", extra]) => {
        const { runJob } = await import("./jobs.ts");
        return await runJob(io, { id, extra });
      }),
    );
  jobs
    .command("tick")
    .description("run what is due now and wait for it; `agent gateway` does so all the time")
    .action(
      bind(async (io) => {
        const { tick } = await import("./jobs.ts");
        return await tick(io);
      }),
    );
}
