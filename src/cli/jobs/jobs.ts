import { onSignals } from "../../app/process/signals.ts";
import { defined } from "../../shared/json/defined.ts";
import { isoInZone } from "../../shared/text/zoned-time.ts";
import { fieldLines, printJson } from "../terminal/output.ts";
import type { ChangedJob, NewJob } from "./job-flags.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import {
  decodeJobDraft,
  decodeJobPatch,
  decodeRunExtra,
  encodeJob,
  encodeJobRun,
  encodeOneJob,
  type Job,
  type JobRun,
} from "../../automation/jobs/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { withServices } from "../with-services.ts";
import { type Io, write } from "../../app/process/io.ts";

/** `agent jobs list`: a line for each job. */
export function listJobs(
  io: Io,
  { json, all }: { readonly json: boolean; readonly all: boolean },
): Promise<void> {
  return withServices(io, async ({ jobs }) => {
    const listed = (await jobs.list()).filter((job) => all || job.state === "scheduled");
    const none = all ? "No jobs.\n" : "No active jobs. `agent jobs list --all` shows the others too.\n";
    const list = listed.map((job) => encodeJob(job, jobs.zone));
    if (json) return await printJson(io, list);
    await write(io.stdout, listed.map((job) => jobLine(job, jobs.zone)).join("") || none);
  });
}

function jobLine(job: Job, zone: string): string {
  const when = job.state === "scheduled" ? `next ${isoInZone(job.nextRunAt ?? 0, zone)}` : job.state;
  const last = job.last === undefined ? "never ran" : `last ${job.last.status}`;
  return `${job.id}  ${when.padEnd(30)}  ${last.padEnd(10)}  ${forTerminalLine(job.name)} (${forTerminalLine(job.schedule.display)})\n`;
}

/** `agent jobs show`: the definition, and what became of the newest run. */
export function showJob(
  io: Io,
  { id, json }: { readonly id: string; readonly json: boolean },
): Promise<void> {
  return withServices(io, async ({ jobs }) => {
    const job = encodeOneJob(await jobs.get(id), jobs.zone);
    if (json) await printJson(io, job);
    else await write(io.stdout, fieldLines(job));
  });
}

/** `agent jobs runs`: the newest runs of a job first, missed due times among them. */
export function listRuns(
  io: Io,
  { id, json, limit }: { readonly id: string; readonly json: boolean; readonly limit: number },
): Promise<void> {
  return withServices(io, async ({ jobs }) => {
    const runs = await jobs.runs(id, limit);
    if (runs.length === 0) await jobs.get(id);
    const list = runs.map((run) => encodeJobRun(run, jobs.zone));
    if (json) return await printJson(io, list);
    await write(io.stdout, runs.map((run) => runLine(run, jobs.zone)).join("") || "No runs yet.\n");
  });
}

function runLine(run: JobRun, zone: string): string {
  const { missed, error, reason, output = "" } = run;
  const count = missed === undefined ? "" : `${missed.count}${missed.more ? " or more" : ""} due times: `;
  const text = forTerminalLine(`${count}${error ?? reason ?? output}`).slice(0, 100);
  return `${isoInZone(run.dueAt, zone)}  ${run.status.padEnd(9)}  ${run.sessionId ?? "-"}  ${text}\n`;
}

/** `agent jobs create`: makes a job and says when it runs first. */
export function createJob(io: Io, { json, paused, workdir = io.cwd, ...described }: NewJob): Promise<void> {
  return withServices(io, async ({ jobs }) => {
    const draft = decodeJobDraft({ ...wireOf(described), paused, workdir });
    const job = await jobs.create(draft);
    const first =
      job.state === "paused" || job.nextRunAt === undefined
        ? "paused"
        : `next run ${isoInZone(job.nextRunAt, jobs.zone)}`;
    if (json) await printJson(io, encodeJob(job, jobs.zone));
    else
      await write(
        io.stdout,
        `Created job ${job.id} (${job.schedule.display}), ${first}.\nJobs run while \`agent gateway\` runs, or with \`agent jobs tick\`.\n`,
      );
  });
}

/** `agent jobs edit`: changes what is given and nothing else. */
export function editJob(io: Io, { id, ...flags }: ChangedJob): Promise<void> {
  return withServices(io, async ({ jobs }) => {
    const job = await jobs.change(id, decodeJobPatch(wireOf(flags)));
    await write(io.stdout, `Changed job ${job.id} (${job.schedule.display}).\n`);
  });
}

const wireOf = ({ skill, baseUrl, maxTokens, maxCost, ...flags }: Omit<ChangedJob, "id">) => ({
  ...flags,
  base_url: baseUrl,
  skills: skill,
  budget: maxTokens === undefined && maxCost === undefined ? undefined : { tokens: maxTokens, cost: maxCost },
});

/** `agent jobs pause`. */
export function pauseJob(
  io: Io,
  { id, reason }: { readonly id: string; readonly reason?: string },
): Promise<void> {
  return withServices(io, async ({ jobs }) => {
    await jobs.pause(id, reason);
    await write(io.stdout, `Paused job ${id}.\n`);
  });
}

/** `agent jobs resume`. */
export function resumeJob(io: Io, { id }: { readonly id: string }): Promise<void> {
  return withServices(io, async ({ jobs }) => {
    const { nextRunAt = 0 } = await jobs.resume(id);
    await write(io.stdout, `Resumed job ${id}, next run ${isoInZone(nextRunAt, jobs.zone)}.\n`);
  });
}

/** `agent jobs remove`: its run in flight is stopped too, also in another process. */
export function removeJob(io: Io, { id }: { readonly id: string }): Promise<void> {
  return withServices(io, async ({ jobs }) => {
    await jobs.remove(id);
    await write(io.stdout, `Removed job ${id}.\n`);
  });
}

/** `agent jobs run`: runs it in this process, prints its answer, and delivers it as on schedule. */
export function runJob(
  io: Io,
  { id, extra }: { readonly id: string; readonly extra?: string },
): Promise<void> {
  return withServices(io, async ({ jobs, runner, outbox }) => {
    const words = decodeRunExtra({ prompt: extra });
    const run = await jobs.runNow(id, { claim: true, ...defined({ extra: words }) });
    const stop = new AbortController();
    using listening = new DisposableStack();
    listening.use(onSignals(io, ["SIGINT", "SIGTERM"], () => stop.abort()));
    const ended = await runner.execute(run, stop.signal);
    await outbox.pollOnce();
    await outbox.idle();
    if (ended?.status !== "ok")
      throw new HostError("tool_failed", ended?.error ?? ended?.reason ?? "The job was deleted meanwhile.");
    await write(io.stdout, `${forTerminal(ended.output ?? "")}\n`);
  });
}

/** `agent jobs tick`: runs what is due and waits for it, for those who have a scheduler of their own. */
export function tick(io: Io): Promise<void> {
  return withServices(io, async ({ scheduler, outbox }) => {
    await scheduler.pollOnce();
    await scheduler.idle();
    await outbox.pollOnce();
    await outbox.idle();
  });
}
