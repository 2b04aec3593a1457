import { describe, expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import type { JobRun } from "../../../src/automation/jobs/index.ts";
import { isoInZone } from "../../../src/shared/text/zoned-time.ts";
import { random, times } from "../../kit/counts.ts";
import { LeavingRecords } from "../../kit/leaving-records.ts";
import { Machine } from "../../kit/machine.ts";
import {
  callTool,
  fail,
  gate,
  say,
  scriptedModel,
  scriptedModelWith,
  used,
  wait,
} from "../../kit/scripted-model.ts";
import { draft, jobProcess, ZONE } from "./job-stage.ts";

const MINUTE = 60_000;

test("a job runs when it is due, in a session that people can open, and its answer is delivered", async () => {
  const machine = new Machine();
  const model = scriptedModel([say("Nothing changed.")]);
  const process = await jobProcess(machine, model);
  const job = await process.jobs.create(draft("every 10m", { name: "Changes", deliver: "log" }));
  await process.settle();
  expect(model.requests).toHaveLength(0);
  machine.clock.advance(10 * MINUTE);
  await process.settle();
  const [run] = await process.jobs.runs(job.id, 10);
  expect(run).toMatchObject({ status: "ok", output: "Nothing changed.", trigger: "schedule", attempt: 1 });
  const session = await process.host.session(run?.sessionId ?? "");
  expect(session.state).toMatchObject({ platform: "job", source: "job", counts: { turns: 1 } });
  expect(process.messages.map(({ text, failed }) => ({ text, failed }))).toEqual([
    { text: "Nothing changed.", failed: false },
  ]);
  expect(await process.jobs.get(job.id)).toMatchObject({
    repeat: { times: null, completed: 1 },
    failureStreak: 0,
    last: { status: "ok", runId: run?.id },
    nextRunAt: machine.clock.now() + 10 * MINUTE,
  });
  await process.close();
});

test("a run whose end the store has no room for ends when there is room again, without a second prompt, and the next one runs", async () => {
  const machine = new Machine();
  const full = new LeavingRecords("job", ["add", "put", "replace"]);
  const reported: string[] = [];
  const stuck = gate();
  const model = scriptedModelWith({ otherwise: () => [say("Again.")] }, [wait(stuck), say("Nothing.")]);
  const process = await jobProcess(machine, model, {
    records: full.of,
    report: ({ code }) => void reported.push(code),
  });
  const job = await process.jobs.create(draft("every 10m"));
  machine.clock.advance(10 * MINUTE);
  await process.scheduler.pollOnce();
  await stuck.reached;
  full.isAway = true;
  stuck.open();
  await expect.poll(() => reported).toEqual(["store_unavailable"]);
  await machine.pass(5000);
  expect(process.scheduler.running).toBe(1);
  full.isAway = false;
  await machine.during(process.scheduler.idle());
  expect(await process.jobs.runs(job.id, 10)).toMatchObject([{ status: "ok", output: "Nothing." }]);
  expect([model.requests.length, process.messages.length, reported.length]).toEqual([1, 1, 1]);
  machine.clock.advance(10 * MINUTE);
  await process.settle();
  const runs = await process.jobs.runs(job.id, 10);
  expect(runs.map(({ status }) => status)).toEqual(["ok", "ok"]);
  await process.close();
});

test.each([["add" as const], ["replace" as const]])(
  "a due time whose run cannot be noted, for the store fails to %s, is run when it does not",
  async (call) => {
    const machine = new Machine();
    const full = new LeavingRecords("job", [call]);
    const process = await jobProcess(machine, scriptedModel(), { records: full.of });
    const jobs = [
      await process.jobs.create(draft("every 10m")),
      await process.jobs.create(draft("every 10m")),
    ];
    machine.clock.advance(10 * MINUTE);
    full.isAway = true;
    await expect(process.scheduler.pollOnce()).rejects.toThrow("away");
    full.isAway = false;
    await process.settle();
    for (const { id } of jobs) {
      expect((await process.jobs.runs(id, 10)).map(({ status }) => status)).toEqual(["ok"]);
      expect((await process.jobs.get(id)).nextRunAt).toBe(machine.clock.now() + 10 * MINUTE);
    }
    await process.close();
  },
);

test("a one-shot job runs once and is completed; a repeated one ends after its count", async () => {
  const machine = new Machine();
  const process = await jobProcess(machine, scriptedModel());
  const once = await process.jobs.create(draft("in 5m"));
  const twice = await process.jobs.create(draft("every 5m", { repeat: 2 }));
  for (let step = 0; step < 5; step += 1) {
    machine.clock.advance(5 * MINUTE);
    await process.settle();
  }
  expect(await process.jobs.get(once.id)).toMatchObject({
    state: "completed",
    repeat: { times: 1, completed: 1 },
  });
  expect(await process.jobs.get(twice.id)).toMatchObject({
    state: "completed",
    repeat: { times: 2, completed: 2 },
  });
  expect(await process.jobs.runs(once.id, 10)).toHaveLength(1);
  expect(await process.jobs.runs(twice.id, 10)).toHaveLength(2);
  await expect(process.jobs.resume(once.id)).rejects.toThrow("is over");
  await process.close();
});

test("after downtime the newest due time is run when it is not too late, the others are recorded as missed", async () => {
  const machine = new Machine();
  const process = await jobProcess(machine, scriptedModel());
  const job = await process.jobs.create(draft("every 10m"));
  const begin = machine.clock.now();
  machine.clock.advance(64 * MINUTE);
  await process.settle();
  const runs = await process.jobs.runs(job.id, 10);
  expect(runs.map(({ status, dueAt, missed }) => ({ status, dueAt: dueAt - begin, missed }))).toEqual([
    { status: "ok", dueAt: 60 * MINUTE, missed: undefined },
    {
      status: "missed",
      dueAt: 10 * MINUTE,
      missed: { from: begin + 10 * MINUTE, to: begin + 50 * MINUTE, count: 5, more: false },
    },
  ]);
  machine.clock.advance(12 * MINUTE);
  await process.settle();
  const [newest] = await process.jobs.runs(job.id, 1);
  expect(newest).toMatchObject({ status: "missed", reason: expect.stringContaining("No scheduler") });
  const due = begin + 70 * MINUTE;
  expect(newest?.missed).toEqual({ from: due, to: due, count: 1, more: false });
  await process.close();
});

test("a one-shot that comes more than two minutes late is missed, and says so", async () => {
  const machine = new Machine();
  const process = await jobProcess(machine, scriptedModel());
  const job = await process.jobs.create(draft("in 5m"));
  machine.clock.advance(8 * MINUTE);
  await process.settle();
  expect(await process.jobs.get(job.id)).toMatchObject({ state: "error" });
  expect(await process.jobs.runs(job.id, 10)).toMatchObject([{ status: "missed" }]);
  await process.close();
});

describe("exactly once:", () => {
  test("of several processes on one home one runs a due time", async () => {
    const machine = new Machine();
    const model = scriptedModel();
    const processes = await Promise.all([1, 2, 3].map(() => jobProcess(machine, model)));
    const [first] = processes;
    const job = await first?.jobs.create(draft("every 10m"));
    for (let step = 0; step < 5; step += 1) {
      machine.clock.advance(10 * MINUTE);
      await Promise.all(processes.map((process) => process.settle()));
    }
    expect(model.requests).toHaveLength(5);
    expect(await first?.jobs.runs(job?.id ?? "", 20)).toHaveLength(5);
    for (const process of processes) await process.close();
  });

  test("a process that dies while a run goes on is followed by one that reports it, and does not run it again", async () => {
    const machine = new Machine();
    const stuck = gate();
    const model = scriptedModel([say("Half"), wait(stuck)]);
    const doomed = await jobProcess(machine, model);
    const job = await doomed.jobs.create(draft("every 10m"));
    machine.clock.advance(10 * MINUTE);
    await doomed.scheduler.pollOnce();
    await stuck.reached;
    doomed.die();
    const heir = await jobProcess(machine, model);
    await heir.settle();
    expect(await heir.jobs.runs(job.id, 10)).toMatchObject([
      { status: "error", error: expect.stringContaining("died") },
    ]);
    expect(model.requests).toHaveLength(1);
    expect(await heir.jobs.get(job.id)).toMatchObject({ failureStreak: 1, last: { status: "error" } });
    await heir.close();
  });

  test("a process that dies between recording a run and beginning it is followed by one that runs it", async () => {
    const machine = new Machine();
    const model = scriptedModel();
    const doomed = await jobProcess(machine, model, { concurrency: 0 });
    const job = await doomed.jobs.create(draft("every 10m"));
    machine.clock.advance(10 * MINUTE);
    await doomed.scheduler.pollOnce();
    await doomed.records.runs.claimDue(1);
    doomed.die();
    const heir = await jobProcess(machine, model);
    await heir.settle();
    expect(await heir.jobs.runs(job.id, 10)).toMatchObject([{ status: "ok" }]);
    await heir.close();
  });
});

test("a scheduled run that is still going on when the next is due is not overtaken", async () => {
  const machine = new Machine();
  const slow = gate();
  const process = await jobProcess(machine, scriptedModel([wait(slow), say("late")]));
  const job = await process.jobs.create(draft("every 5m"));
  machine.clock.advance(5 * MINUTE);
  await process.scheduler.pollOnce();
  await slow.reached;
  machine.clock.advance(5 * MINUTE);
  await process.scheduler.pollOnce();
  slow.open();
  await process.scheduler.idle();
  const statuses = (await process.jobs.runs(job.id, 10)).map(({ status, reason }) => ({ status, reason }));
  expect(statuses).toEqual([
    { status: "missed", reason: expect.stringContaining("still going on") },
    { status: "ok", reason: undefined },
  ]);
  await process.close();
});

test("pause lets due times pass, resume goes on with the next one, run now runs a paused job that stays paused", async () => {
  const machine = new Machine();
  const model = scriptedModel();
  const process = await jobProcess(machine, model);
  const job = await process.jobs.create(draft("every 10m"));
  expect(await process.jobs.pause(job.id)).toMatchObject({ state: "paused", pausedAt: machine.clock.now() });
  machine.clock.advance(25 * MINUTE);
  await process.settle();
  expect(model.requests).toHaveLength(0);
  await process.jobs.runNow(job.id, { extra: "Be brief.", claim: false });
  await process.settle();
  expect(model.seen).toEqual([["Say what changed.\n\nBe brief."]]);
  expect(await process.jobs.get(job.id)).toMatchObject({ state: "paused", last: { status: "ok" } });
  const resumed = await process.jobs.resume(job.id);
  expect(resumed).toMatchObject({ state: "scheduled", nextRunAt: machine.clock.now() + 5 * MINUTE });
  await process.close();
});

test("deleting a job stops its run in flight, and nothing of it is delivered", async () => {
  const machine = new Machine();
  const stuck = gate();
  const process = await jobProcess(machine, scriptedModel([say("Half"), wait(stuck)]));
  const job = await process.jobs.create(draft("every 10m"));
  machine.clock.advance(10 * MINUTE);
  await process.scheduler.pollOnce();
  await stuck.reached;
  await process.jobs.remove(job.id);
  await process.scheduler.idle();
  const [run] = await process.jobs.runs(job.id, 1);
  expect(run).toMatchObject({ status: "cancelled" });
  const session = await process.host.session(run?.sessionId ?? "");
  expect(session.state.lastTurn).toMatchObject({ outcome: "cancelled" });
  expect(process.messages).toEqual([]);
  await expect(process.jobs.get(job.id)).rejects.toThrow("Job not found");
  await process.close();
});

test("failures are counted, told after three in a row, and forgotten with the next good run", async () => {
  const machine = new Machine();
  const bad = fail(new HostError("provider_bad_request", "The endpoint refused."));
  const process = await jobProcess(machine, scriptedModel([bad], [bad], [bad], [bad], [say("fine")]));
  const job = await process.jobs.create(draft("every 10m"));
  const streaks: number[] = [];
  for (let step = 0; step < 5; step += 1) {
    machine.clock.advance(10 * MINUTE);
    await process.settle();
    streaks.push((await process.jobs.get(job.id)).failureStreak);
  }
  expect(streaks).toEqual([1, 2, 3, 4, 0]);
  expect(process.messages.map(({ text }) => text)).toEqual([
    "This job failed 3 times in a row: The endpoint refused.",
    "fine",
  ]);
  await process.close();
});

test("a run that never reached the model is tried again after 5, 15 and 30 minutes", async () => {
  const machine = new Machine();
  const down = {
    ...scriptedModelWith({ otherwise: () => [fail(new HostError("provider_network", "No route."))] }),
  };
  const process = await jobProcess(machine, down);
  const job = await process.jobs.create(draft("every 1d"));
  machine.clock.advance(24 * 60 * MINUTE);
  const settle = async (): Promise<void> => {
    await process.scheduler.pollOnce();
    const idle = process.scheduler.idle();
    const state = { over: false };
    void idle.then(() => (state.over = true));
    // The host's own retries wait on the clock too.
    while (!state.over) {
      await new Promise((resolve) => setImmediate(resolve));
      machine.clock.advance(1000);
    }
  };
  await settle();
  const attempts: number[] = [];
  for (const minutes of [5, 15, 30]) {
    machine.clock.advance(minutes * MINUTE);
    await settle();
    attempts.push((await process.jobs.runs(job.id, 1))[0]?.attempt ?? 0);
  }
  expect(attempts).toEqual([3, 4, 4]);
  expect(await process.jobs.runs(job.id, 5)).toMatchObject([
    { status: "error", error: expect.stringContaining("No route") },
  ]);
  await process.close();
});

test("a run in which nothing happens is stopped after ten minutes", async () => {
  const machine = new Machine();
  const stuck = gate();
  const process = await jobProcess(machine, scriptedModel([wait(stuck)]));
  const job = await process.jobs.create(draft("every 1h"));
  machine.clock.advance(60 * MINUTE);
  await process.scheduler.pollOnce();
  await stuck.reached;
  machine.clock.advance(11 * MINUTE);
  await process.scheduler.idle();
  expect(await process.jobs.runs(job.id, 1)).toMatchObject([
    { status: "error", error: expect.stringContaining("600 s") },
  ]);
  await process.close();
});

test("the skills that exist are given with the prompt, in their order, and a text marked as silent is not delivered", async () => {
  const machine = new Machine();
  const model = scriptedModel([say("[SILENT] nothing new")]);
  const process = await jobProcess(machine, model, {
    skills: { report: "Write a report.", brief: "Be brief." },
  });
  await process.jobs.create(draft("in 1m", { skills: ["absent", "report", "brief"] }));
  machine.clock.advance(MINUTE);
  await process.settle();
  expect(model.seen).toEqual([
    [
      [
        '<skill name="report">\nWrite a report.\n</skill>',
        '<skill name="brief">\nBe brief.\n</skill>',
        "Say what changed.",
        "(There is no skill absent: do without.)",
      ].join("\n\n"),
    ],
  ]);
  expect(process.messages).toEqual([]);
  await process.close();
});

test(
  "over a year of restarts, deaths and clock jumps every due time ran once or is recorded as missed",
  { timeout: 300_000 },
  async () => {
    const chance = random(7);
    const machine = new Machine();
    let answered = 0;
    const quick = scriptedModelWith({
      otherwise: () => {
        answered += 1;
        return [say("ok")];
      },
    });
    let process = await jobProcess(machine, quick);
    const job = await process.jobs.create(draft("30 2,14 * * *"));
    const begin = machine.clock.now();
    const runs = new Map<string, JobRun>();
    const steps = times(3000);
    const stride = (365 * 24 * 60 * MINUTE) / steps;
    for (let step = 0; step < steps; step += 1) {
      machine.clock.advance(Math.round(stride * 2 * chance()));
      const dice = chance();
      if (dice < 0.03) {
        process.die();
        process = await jobProcess(machine, quick);
      } else if (dice < 0.05) {
        await process.close();
        process = await jobProcess(machine, quick);
      } else if (dice < 0.07) machine.clock.set(machine.clock.now() - Math.round(3 * 60 * MINUTE * chance()));
      await process.settle();
      // Runs that are long over are forgotten.
      for (const run of await process.jobs.runs(job.id, 20)) runs.set(run.id, run);
    }
    const covered = new Set<number>();
    let missed = 0;
    for (const run of runs.values()) {
      missed += run.missed?.count ?? 0;
      if (run.missed === undefined) covered.add(run.dueAt);
      else expect(run.reason).not.toBe("");
      expect(isoInZone(run.dueAt, ZONE)).toMatch(/T(02:30|14:30|03:00):00/);
    }
    expect(answered).toBe([...runs.values()].filter(({ status }) => status === "ok").length);
    const { nextRunAt = 0 } = await process.jobs.get(job.id);
    const days = Math.round((nextRunAt - begin) / (24 * 60 * MINUTE));
    expect(covered.size + missed).toBeGreaterThanOrEqual(2 * days - 1);
    expect(covered.size + missed).toBeLessThanOrEqual(2 * days + 1);
    await process.close();
  },
);

test("a run that used up the job's budget fails saying so, and its session goes on with more", async () => {
  const machine = new Machine();
  const model = scriptedModel([say("I began."), callTool("nothing"), used(500, 0)], [say("The rest.")]);
  const process = await jobProcess(machine, model);
  const job = await process.jobs.create(draft("every 10m", { budget: { tokens: 100 } }));
  machine.clock.advance(10 * MINUTE);
  await process.settle();
  const [run] = await process.jobs.runs(job.id, 1);
  expect(run).toMatchObject({ status: "error", output: "I began." });
  expect(run?.error).toContain("500 of its 100 tokens");
  const session = await process.host.session(run?.sessionId ?? "");
  await session.set({ budget: { tokens: 1000 } });
  expect((await session.submit({ text: "go on" }).result).text).toBe("The rest.");
  expect(await process.jobs.change(job.id, { budget: null })).not.toHaveProperty("budget");
  await process.close();
});
