import { expect, test } from "vitest";
import { type DeliveryDraft, Outbox } from "../../src/automation/delivery/index.ts";
import { EventFollower } from "../../src/automation/outgoing/event-follower.ts";
import type { Models } from "../../src/core/index.ts";
import { Machine } from "../kit/machine.ts";
import { gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
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
