import { join } from "node:path";
import { HostError } from "../../core/index.ts";
import { type Delivery, Outbox, readTargets, type Senders } from "../../delivery/index.ts";
import { type JobMessage, JobRecords, JobRunner, Jobs, Scheduler } from "../../jobs/index.ts";
import type { Agent } from "../compose.ts";
import { jobsBlock } from "../config/jobs-block.ts";
import { timeZone } from "../config/timezone.ts";
import { skillLoader } from "./load-skill.ts";
import { localSender, logSender } from "./local-senders.ts";

/** The work that a home does by itself: jobs, their runs, and what goes out. Nothing happens until it is started. */
export interface Desk extends AsyncDisposable {
  readonly jobs: Jobs;
  readonly runner: JobRunner;
  readonly scheduler: Scheduler;
  readonly outbox: Outbox;
}

/** @throws HostError `config_invalid` */
export function openDesk(agent: Agent, cwd: string): Desk {
  const { host, store, settings } = agent;
  const { paths } = settings;
  const { clock, hex, report, models } = host.services;
  const zone = timeZone(settings);
  const { concurrency, idleMs, wrap } = jobsBlock(settings);
  const records = new JobRecords(store.records);
  const senders = sendersOf(agent);
  const homes = (): readonly string[] => [];
  const settled = (delivery: Delivery): Promise<void> => noteDelivery(records, delivery);
  const outbox = new Outbox({ records: store.records, clock, senders, report, settled });
  const targets = (job: Pick<JobMessage["job"], "deliver" | "origin">) => {
    const { platform: kind, chatId, threadId } = job.origin ?? { platform: "local" };
    const place = {
      ...(chatId === undefined ? {} : { chatId }),
      ...(threadId === undefined ? {} : { threadId }),
    };
    const known = (each: string): boolean => senders(each) !== undefined;
    const origin = known(kind) ? { kind, ...place } : { kind: "local" };
    return readTargets(job.deliver, { known, homes, origin });
  };
  const jobs = new Jobs({
    records,
    clock,
    hex,
    zone,
    resolveModel: (choice) => models().resolve(choice),
    checkDeliver: (deliver) => void targets({ deliver }),
    interrupt: (id) => interrupt(agent, id),
  });
  const runner = new JobRunner({
    host,
    records,
    clock,
    zone,
    cwd,
    idleMs,
    loadSkill: skillLoader(paths.home),
    async deliver({ key, job, text, failed }) {
      const shown = wrap && !failed ? `${job.name}\n\n${text}` : failed ? `${job.name}: ${text}` : text;
      for (const [index, target] of targets(job).entries()) {
        const source = { kind: "job", id: key };
        await outbox.put({ id: `${key}:${index}`, target, text: shown, subject: job.name, source });
      }
    },
  });
  const scheduler = new Scheduler({ records, runner, clock, zone, report, concurrency });
  return {
    jobs,
    runner,
    scheduler,
    outbox,
    async [Symbol.asyncDispose]() {
      await scheduler[Symbol.asyncDispose]();
      await outbox[Symbol.asyncDispose]();
    },
  };
}

function sendersOf({ settings: { paths } }: Agent): Senders {
  const known = new Map([
    ["local", localSender(join(paths.home, "jobs"))],
    ["log", logSender(paths.logs)],
  ]);
  return (kind) => known.get(kind);
}

/** Whoever looks at a job sees that its newest answer did not arrive. */
async function noteDelivery(records: JobRecords, { source, target, status, error }: Delivery): Promise<void> {
  if (source.kind !== "job") return;
  const [jobId = ""] = source.id.split(":");
  const deliveryError = status === "failed" ? `${target.kind}: ${error ?? "not delivered"}` : undefined;
  try {
    await records.changeJob(jobId, (job) => {
      const { last } = job;
      if (last?.runId !== source.id || deliveryError === undefined) return undefined;
      return { ...job, last: { ...last, deliveryError } };
    });
  } catch (thrown) {
    // The job was deleted meanwhile.
    if (!(thrown instanceof HostError) || thrown.code !== "not_found") throw thrown;
  }
}

async function interrupt({ host }: Agent, id: string): Promise<void> {
  try {
    await (await host.session(id)).interrupt({ from: { surface: "job" } });
  } catch (thrown) {
    // The run had not begun yet; it will see that it is not wanted.
    if (!(thrown instanceof HostError) || thrown.code !== "session_not_found") throw thrown;
  }
}
