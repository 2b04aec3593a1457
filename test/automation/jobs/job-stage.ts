import {
  type Host,
  type Machines,
  type Models,
  type Records,
  requirePersona,
} from "../../../src/core/index.ts";
import {
  decodeJobDraft,
  JobRecords,
  JobRunner,
  Jobs,
  type JobMessage,
  Scheduler,
} from "../../../src/automation/jobs/index.ts";
import type { HostError } from "../../../src/shared/errors/host-error.ts";
import { defined } from "../../../src/shared/json/defined.ts";
import type { HomeStore } from "../../../src/providers/store/index.ts";
import type { Machine } from "../../kit/machine.ts";

export const ZONE = "Europe/Berlin";

/** A process that has jobs and a scheduler, on a machine where processes may die. */
export interface JobProcess {
  readonly host: Host;
  readonly store: HomeStore;
  readonly jobs: Jobs;
  readonly records: JobRecords;
  readonly scheduler: Scheduler;
  readonly runner: JobRunner;
  /** What was given to delivery here. */
  readonly messages: readonly JobMessage[];
  /** Looks once and waits for the runs that it began. */
  settle(): Promise<void>;
  die(): void;
  close(): Promise<void>;
}

export interface JobProcessOptions {
  readonly skills?: Readonly<Record<string, string>>;
  readonly concurrency?: number;
  /** The machines that share the jobs, its own among them. */
  readonly machines?: Machines;
  /** Changes the records of the jobs; by default a failure that reaches nobody fails the test. */
  readonly records?: (records: Records) => Records;
  readonly report?: (error: HostError) => void;
}

/** Starts a process with jobs; `machine` carries the clock and the records. */
export async function jobProcess(
  machine: Machine,
  models: Models,
  { skills = {}, concurrency = 4, machines, ...changed }: JobProcessOptions = {},
): Promise<JobProcess> {
  const process = await machine.start(models, { keepLeaseMs: 0, ...defined({ machines }) });
  const { host, store } = process;
  const { clock } = machine;
  const records = new JobRecords(changed.records?.(store.records) ?? store.records, machines?.here.id);
  const messages: JobMessage[] = [];
  let dead = false;
  const jobs = new Jobs({
    records,
    machines,
    clock,
    hex: host.services.hex,
    zone: ZONE,
    resolveModel: (choice) => host.services.models().resolve(choice),
    providerAt: (baseUrl) => host.services.models().providerAt?.(baseUrl),
    checkDeliver: () => undefined,
    checkToolsets: () => undefined,
    checkPersona: (name) => requirePersona(host.services.personas, name),
    interrupt: async (id) => void (await (await host.session(id)).interrupt()),
  });
  const runner = new JobRunner({
    host,
    records,
    clock,
    zone: ZONE,
    cwd: "",
    loadSkill: (name) => Promise.resolve(skills[name]),
    deliver: (message) => Promise.resolve(void messages.push(message)),
  });
  const report = (error: Error): void => {
    if (!dead) throw error;
  };
  const options = { records, runner, clock, zone: ZONE, machines, concurrency };
  const scheduler = new Scheduler({ ...options, report: changed.report ?? report });
  return {
    host,
    store,
    jobs,
    records,
    scheduler,
    runner,
    messages,
    async settle() {
      await scheduler.pollOnce();
      await scheduler.idle();
    },
    die() {
      dead = true;
      process.die();
    },
    async close() {
      await scheduler[Symbol.asyncDispose]();
      await host.close();
    },
  };
}

/** A job as a client would make it. */
export const draft = (schedule: string, more: Record<string, unknown> = {}) =>
  decodeJobDraft({ schedule, prompt: "Say what changed.", ...more });
