import { expect, test } from "vitest";
import { type DeliveryDraft, Outbox } from "../../src/automation/delivery/index.ts";
import { EventFollower } from "../../src/automation/outgoing/event-follower.ts";
import type { Machines, Models } from "../../src/core/index.ts";
import { HostError } from "../../src/shared/errors/host-error.ts";
import { Machine } from "../kit/machine.ts";
import { fail, gate, say, scriptedModel, scriptedModelWith, wait } from "../kit/scripted-model.ts";
import { draft, jobProcess } from "./jobs/job-stage.ts";

const MINUTE = 60_000;

interface World {
  readonly machine: Machine;
  readonly models: Models;
  readonly log: string[];
}

/** A machine that runs jobs, sends texts and follows what happens. */
async function worker({ machine, models, log }: World, who: string) {
  const jobs = await jobProcess(machine, models);
  const { records, hostId } = jobs.store;
  const { clock } = machine;
  let isCut = false;
  const report = (error: Error): void => {
    if (!isCut) throw error;
  };
  const outbox = new Outbox({
    records,
    clock,
    report,
    senders: () => ({
      retryMs: [1000],
      send: ({ text }) => Promise.resolve(void log.push(`${who} sent ${text}`)),
    }),
  });
  const source = {
    name: "numbers",
    read: async (after: number) => {
      const next = Math.min(after + 1, Math.floor(clock.monotonic() / MINUTE));
      return Promise.resolve({ events: next > after ? [next] : [], next });
    },
  };
  const follower = new EventFollower<number>({
    records,
    clock,
    hostId,
    report,
    name: "test",
    sources: [source],
    isWanted: () => true,
    publish: (event) => Promise.resolve(void log.push(`${who} told ${event}`)),
  });
  const workers = [jobs.scheduler, outbox, follower];
  return {
    who,
    ...jobs,
    outbox,
    start: () => workers.forEach((each) => each.start()),
    /** The machine is cut off: what it does from now on reaches nobody. */
    die() {
      isCut = true;
      jobs.die();
    },
    async leave() {
      for (const each of workers) await each[Symbol.asyncDispose]();
      await jobs.host.close();
    },
  };
}

const text = (id: string): DeliveryDraft => ({
  id,
  text: id,
  target: { kind: "test" },
  source: { kind: "test", id },
});

test("jobs, texts and what is followed have one machine each; what a dead one had, another one takes up within 20 seconds", async () => {
  const machine = new Machine({ apart: true });
  const { clock } = machine;
  const log: string[] = [];
  const stuck = gate();
  const model = scriptedModel([say("Half "), wait(stuck)]);
  const world: World = { machine, models: model, log };
  const first = await worker(world, "one");
  const job = await first.jobs.create(draft("every 10m"));
  first.start();
  await machine.pass(10 * MINUTE);
  await stuck.reached;
  const others = [await worker(world, "two"), await worker(world, "three")];
  for (const each of others) each.start();
  await first.outbox.put(text("a"));
  await machine.pass(2000);
  expect(log.filter((line) => line.includes("sent"))).toHaveLength(1);
  expect(log.filter((line) => line.includes("told"))).toEqual(
    Array.from({ length: 10 }, (_, n) => `one told ${n + 1}`),
  );

  log.length = 0;
  first.die();
  await others[0]?.outbox.put(text("b"));
  const died = clock.monotonic();
  const runs = async () => (await others[0]?.jobs.runs(job.id, 10)) ?? [];
  await machine.pass(20_000);
  // The run had begun: it is told as cut short, and not done twice.
  expect(await runs()).toMatchObject([{ status: "error", error: expect.stringContaining("died") }]);
  expect(model.requests).toHaveLength(1);
  await machine.pass(2 * MINUTE - (clock.monotonic() - died));
  const told = log.filter((line) => line.includes("told"));
  expect(told.map((line) => line.replace(/^\w+ /, ""))).toEqual(["told 11", "told 12"]);
  expect(new Set(told.map((line) => line.split(" ")[0])).size).toBe(1);
  expect(log.filter((line) => line.includes("sent b"))).toHaveLength(1);

  await machine.pass(9 * MINUTE);
  expect((await runs()).map(({ status }) => status).toSorted()).toEqual(["error", "ok"]);
  for (const each of others) await machine.during(each.leave());
});

test("a job with a folder on a machine's disk runs there alone, and is told as missed while that machine is gone", async () => {
  const machine = new Machine({ apart: true });
  const gone = new Set<string>();
  const machinesOf = (name: string): Machines => ({
    here: { id: name, name: `the ${name}` },
    keepsFiles: (folder) => folder.startsWith("/disk"),
    isThere: (id) => Promise.resolve(!gone.has(id)),
    adopts: () => false,
    folder: "/",
    isChosen: () => true,
  });
  const join = (name: string) =>
    jobProcess(machine, scriptedModelWith({ otherwise: () => [say(`at ${name}`)] }), {
      machines: machinesOf(name),
    });
  const [laptop, tower] = [await join("laptop"), await join("tower")];
  const { id } = await laptop.jobs.create(draft("every 10m", { workdir: "/disk/work" }));
  const { id: free } = await laptop.jobs.create(draft("every 10m", { workdir: "/shared/work" }));
  const outputs = async (job: string) => (await tower.jobs.runs(job, 10)).map(({ output }) => output);
  machine.clock.advance(10 * MINUTE);
  // Who comes first notes what is due for both, and does what it can.
  for (const each of [tower, laptop]) await machine.during(each.settle());
  expect([await outputs(id), await outputs(free)]).toEqual([["at laptop"], ["at tower"]]);
  await tower.jobs.runNow(id, { claim: false });
  for (const each of [tower, laptop]) await machine.during(each.settle());
  expect(await outputs(id)).toEqual(["at laptop", "at laptop"]);
  await expect(tower.jobs.runNow(id, { claim: true })).rejects.toThrow("is on the laptop. Run it there.");

  gone.add("laptop");
  machine.clock.advance(10 * MINUTE);
  await machine.during(tower.settle());
  const [missed] = await tower.jobs.runs(id, 1);
  expect(missed).toMatchObject({
    status: "missed",
    reason: expect.stringContaining("the laptop, which cannot"),
  });
  await expect(tower.jobs.runNow(id, { claim: false })).rejects.toThrow("cannot be reached");
  gone.clear();
  machine.clock.advance(10 * MINUTE);
  for (const each of [tower, laptop]) await machine.during(each.settle());
  expect((await outputs(id))[0]).toBe("at laptop");
  for (const each of [laptop, tower]) await machine.during(each.close());
});

test("a run that is to be tried again, and one whose host dies, stay with their machine", async () => {
  const machine = new Machine({ apart: true });
  const machines = (id: string): Machines => ({
    here: { id, name: id },
    keepsFiles: () => true,
    isThere: () => Promise.resolve(true),
    adopts: () => false,
    folder: "/",
    isChosen: () => true,
  });
  const away = new HostError("provider_network", "No route.");
  const stuck = gate();
  let isDown = true;
  const model = scriptedModelWith({ otherwise: () => [isDown ? fail(away) : wait(stuck)] });
  const doomed = await jobProcess(machine, model, { machines: machines("laptop") });
  const tower = await jobProcess(machine, scriptedModel(), { machines: machines("tower") });
  const { id } = await doomed.jobs.create(draft("every 1h", { workdir: "/disk" }));
  machine.clock.advance(60 * MINUTE);
  for (const each of [doomed, tower]) await machine.during(each.settle());
  expect(await tower.jobs.runs(id, 1)).toMatchObject([{ status: "pending", attempt: 2 }]);
  isDown = false;
  machine.clock.advance(5 * MINUTE);
  await machine.during(tower.settle());
  await machine.during(doomed.scheduler.pollOnce());
  await stuck.reached;
  doomed.die();
  const heir = await jobProcess(machine, scriptedModel(), { machines: machines("laptop") });
  for (let seconds = 0; seconds < 20; seconds += 1) {
    await machine.pass(1000);
    await machine.during(tower.settle());
    await machine.during(heir.settle());
  }
  expect(await tower.jobs.runs(id, 1)).toMatchObject([{ status: "error", attempt: 2 }]);
  for (const each of [heir, tower]) await machine.during(each.close());
  stuck.open();
});
