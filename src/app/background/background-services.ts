import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { type Delivery, Outbox, readTargets, type Senders } from "../../automation/delivery/index.ts";
import type { ServerLog } from "../../http/index.ts";
import { type JobMessage, JobRecords, JobRunner, Jobs, Scheduler } from "../../automation/jobs/index.ts";
import { type WebhookCall, WebhookCalls } from "../../automation/webhook/index.ts";
import type { Agent } from "../compose.ts";
import { jobSettings } from "../config/jobs.ts";
import { checkToolsets } from "../config/toolset-names.ts";
import { timeZone } from "../config/timezone.ts";
import { skillLoader } from "../knowledge/skill-entries.ts";
import { senderTable, type TargetTable } from "./senders.ts";

/** The services that `agent gateway` keeps running: jobs, their runs, and deliveries. Nothing runs before `start`. */
export interface BackgroundServices extends AsyncDisposable {
  readonly jobs: Jobs;
  readonly runner: JobRunner;
  readonly scheduler: Scheduler;
  readonly outbox: Outbox;
  readonly senders: Senders;
  readonly calls: WebhookCalls;
  /** The targets of the answer to a webhook. @throws HostError `invalid_params` */
  targetsOfCall(call: WebhookCall): readonly Delivery["target"][];
  /** Looks for what is due, again and again from now on. */
  start(): void;
  /** Begins nothing new. */
  drain(): Promise<void>;
}

/** The options of the background services. */
export interface ServicesOptions {
  /** Folder in which jobs work that name none. */
  readonly cwd: string;
  /** The log of a server; commands for people have none. */
  readonly log?: ServerLog;
}

/** @throws HostError `config_invalid` */
export function openServices(agent: Agent, { cwd, log }: ServicesOptions): BackgroundServices {
  const { host, store, settings } = agent;
  const { clock, hex, report, models } = host.services;
  const zone = timeZone(settings);
  const { concurrency, idleMs, wrap } = jobSettings(settings);
  const records = new JobRecords(store.records);
  const table = senderTable(agent, log);
  const senders: Senders = (kind) => table.senders.get(kind);
  const settled = async (delivery: Delivery): Promise<void> => {
    await noteDelivery(records, delivery);
    if (delivery.status === "failed") report(notDelivered(delivery));
  };
  const outbox = new Outbox({ records: store.records, clock, senders, report, settled });
  const jobs = new Jobs({
    records,
    clock,
    hex,
    zone,
    resolveModel: (choice) => models().resolve(choice),
    providerAt: (baseUrl) => models().providerAt?.(baseUrl),
    checkDeliver: (deliver) => void jobTargets({ deliver }, table),
    checkToolsets,
    interrupt: (id) => interrupt(agent, id),
  });
  const runner = new JobRunner({
    host,
    records,
    clock,
    zone,
    cwd,
    idleMs,
    loadSkill: skillLoader(agent.knowledge.skills),
    async deliver({ key, job, text, failed }) {
      const shown = failed ? `${job.name}: ${text}` : wrap ? `${job.name}\n\n${text}` : text;
      const source = { kind: "job", id: key };
      for (const [index, target] of jobTargets(job, table).entries())
        await outbox.put({ id: `${key}:${index}`, target, text: shown, subject: job.name, source });
    },
  });
  const scheduler = new Scheduler({ records, runner, clock, zone, report, concurrency });
  return {
    jobs,
    runner,
    scheduler,
    outbox,
    senders,
    calls: new WebhookCalls(store.records),
    targetsOfCall: ({ deliver, deliverExtra: extra }) => readTargets(deliver, { ...table, extra }),
    start() {
      scheduler.start();
      outbox.start();
    },
    drain: () => scheduler.stop(),
    async [Symbol.asyncDispose]() {
      await scheduler[Symbol.asyncDispose]();
      await outbox[Symbol.asyncDispose]();
    },
  };
}

function jobTargets(
  { deliver, origin }: Partial<Pick<JobMessage["job"], "origin">> & { readonly deliver: string },
  { kinds, homes }: TargetTable,
): readonly Delivery["target"][] {
  if (origin === undefined || !kinds.has(origin.platform)) return readTargets(deliver, { kinds, homes });
  const { platform: kind, chatId, threadId } = origin;
  return readTargets(deliver, { kinds, homes, origin: defined({ kind, chatId, threadId }) });
}

const notDelivered = ({ id, source, target, error }: Delivery): HostError =>
  new HostError(
    "delivery_failed",
    `A text of ${source.kind} ${source.id.replaceAll("\n", " ")} did not reach ${target.kind}: ${error ?? "not delivered"}. Send it again with \`agent webhook deliveries redeliver ${id}\`.`,
  );

/** Notes at a job that its newest answer did not arrive. */
async function noteDelivery(records: JobRecords, { source, target, status, error }: Delivery): Promise<void> {
  if (source.kind !== "job" || status !== "failed") return;
  const [jobId = ""] = source.id.split(":");
  const deliveryError = `${target.kind}: ${error ?? "not delivered"}`;
  try {
    await records.changeJob(jobId, (job) => {
      const { last } = job;
      return last?.runId === source.id ? { ...job, last: { ...last, deliveryError } } : undefined;
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
