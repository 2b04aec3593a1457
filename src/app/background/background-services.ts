import { sessionFolder } from "../config/terminal.ts";
import { requirePersona } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { type Delivery, Outbox, readTargets, type Senders } from "../../automation/delivery/index.ts";
import type { ServerLog } from "../../http/index.ts";
import { JobRecords, JobRunner, Jobs, Scheduler } from "../../automation/jobs/index.ts";
import type { OutgoingEvents } from "../../automation/outgoing/index.ts";
import { ReceivedCalls, type WebhookCall, WebhookCalls } from "../../automation/webhook/index.ts";
import type { Agent } from "../compose.ts";
import { type ChatServices, chatServices } from "../chat/chat-services.ts";
import { jobSettings } from "../config/jobs.ts";
import { checkToolsets } from "../config/toolset-names.ts";
import { timeZone } from "../config/timezone.ts";
import { skillLoader } from "../knowledge/skill-entries.ts";
import { type HomeSources, homeSources } from "../kb/home-sources.ts";
import { outgoingEvents } from "./outgoing-events.ts";
import { jobDelivery, jobTargets, noteDelivery, notDelivered } from "./job-deliveries.ts";
import { RaisedBudgets } from "../people/raised-budgets.ts";
import { senderTable, type TargetTable } from "./senders.ts";

/** The services that `agent gateway` keeps running: jobs, their runs, and deliveries. Nothing runs before `start`. */
export interface BackgroundServices extends AsyncDisposable {
  readonly jobs: Jobs;
  readonly runner: JobRunner;
  readonly scheduler: Scheduler;
  readonly outbox: Outbox;
  readonly senders: Senders;
  readonly calls: WebhookCalls;
  /** What came in, whatever became of it. */
  readonly received: ReceivedCalls;
  /** Events for other software. */
  readonly events: OutgoingEvents;
  readonly chat: ChatServices;
  /** The folders and addresses that documents come from. */
  readonly documents: HomeSources;
  /** The targets of a comma list. @throws HostError `invalid_params` */
  targetsOf(text: string): readonly Delivery["target"][];
  /** The targets of the answer to a webhook. @throws HostError `invalid_params` */
  targetsOfCall(call: WebhookCall): readonly Delivery["target"][];
  /** Looks for what is due, again and again from now on. */
  start(): void;
  /** Begins nothing new. */
  drain(): Promise<void>;
}

/** The options of the background services. */
export interface ServicesOptions {
  /** Folder in which the program was started. */
  readonly cwd: string;
  /** The log of a server; commands for people have none. */
  readonly log?: ServerLog;
}

/** @throws HostError `config_invalid` */
export function openServices(agent: Agent, { cwd, log }: ServicesOptions): BackgroundServices {
  const { host, store, settings } = agent;
  const { clock, report, machines } = host.services;
  const zone = timeZone(settings);
  const { concurrency, idleMs, wrap } = jobSettings(settings);
  const records = new JobRecords(store.records, machines?.here.id);
  const chat = chatServices(agent, { log, outbox: () => outbox });
  const table = senderTable(agent, { log, chat });
  const senders: Senders = table.sender;
  const events = outgoingEvents(agent, log);
  const documents = homeSources(agent);
  const reader = documents.reader();
  const settled = async (delivery: Delivery): Promise<void> => {
    await noteDelivery(records, delivery);
    await chat.noteDelivery(delivery);
    if (delivery.status !== "failed") return;
    report(notDelivered(delivery));
    await events.deliveryFailed(delivery);
  };
  const outbox: Outbox = new Outbox({ records: store.records, clock, senders, report, settled });
  const jobs = jobsOf(agent, { records, zone, table });
  const runner = new JobRunner({
    host,
    records,
    clock,
    zone,
    cwd: sessionFolder(settings, cwd),
    idleMs,
    loadSkill: skillLoader(agent.knowledge.skills),
    deliver: jobDelivery({ records, outbox, table, report, wrap }),
    failed: (job, run) => events.jobFailed(job, run),
  });
  const scheduler = new Scheduler({ records, runner, clock, zone, machines, report, concurrency });
  const raised = new RaisedBudgets({ host, records: store.records, people: agent.people });
  const workers = [scheduler, reader, outbox, events, raised];
  return {
    jobs,
    runner,
    scheduler,
    outbox,
    senders,
    events,
    chat,
    documents,
    calls: new WebhookCalls(store.records),
    received: receivedCalls(agent),
    targetsOf: (text) => readTargets(text, { kinds: table.kinds, homes: table.homes }),
    targetsOfCall: ({ deliver, deliverExtra: extra }) => readTargets(deliver, { ...table, extra }),
    start() {
      for (const worker of workers) worker.start();
    },
    async drain() {
      // A delivery that its sender interrupts from now on is for the next process.
      for (const worker of [scheduler, reader, outbox]) await worker.stop();
    },
    async [Symbol.asyncDispose]() {
      for (const worker of workers) await worker[Symbol.asyncDispose]();
    },
  };
}

function receivedCalls({ host, store }: Agent): ReceivedCalls {
  const { clock, hex, redactor } = host.services;
  return new ReceivedCalls({ records: store.records, clock, hex, redact: (text) => redactor().hide(text) });
}

function jobsOf(
  agent: Agent,
  parts: {
    readonly records: JobRecords;
    readonly zone: string;
    readonly table: TargetTable;
  },
): Jobs {
  const { clock, hex, models, machines } = agent.host.services;
  const { table, ...rest } = parts;
  return new Jobs({
    ...rest,
    machines,
    clock,
    hex,
    resolveModel: (choice) => models().resolve(choice),
    providerAt: (baseUrl) => models().providerAt?.(baseUrl),
    checkDeliver: (deliver) => void jobTargets({ deliver }, table),
    checkToolsets,
    checkPersona: (name) => requirePersona(agent.host.services.personas, name),
    interrupt: (id) => interrupt(agent, id),
  });
}

async function interrupt({ host }: Agent, id: string): Promise<void> {
  try {
    await (await host.session(id)).interrupt({ from: { surface: "job" } });
  } catch (thrown) {
    // The run had not begun yet; it will see that it is not wanted.
    if (!(thrown instanceof HostError) || thrown.code !== "session_not_found") throw thrown;
  }
}
