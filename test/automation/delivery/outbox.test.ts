import { describe, expect, test } from "vitest";
import type { Records } from "../../../src/core/index.ts";
import { untilAborted } from "../../../src/shared/async/deadline.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import {
  type Delivery,
  Outbox,
  type OutboxOptions,
  ONE_PLACE,
  readTargets,
  type TargetKind,
  type Sender,
} from "../../../src/automation/delivery/index.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { type HandClock, handClock } from "../../kit/clock.ts";
import { gate } from "../../kit/scripted-model.ts";
import { untilTrue } from "../../kit/test-host.ts";

const draft = (id: string) => ({
  id,
  target: { kind: "test" },
  text: `text ${id}`,
  source: { kind: "job", id: "j1" },
});

/** Outboxes on one home, each in a process of its own. */
class OutboxStage {
  readonly clock: HandClock = handClock();
  readonly #home = memoryHome();
  readonly #dead = new Set<number>();
  #pid = 0;

  open(
    sender: Sender | undefined,
    options: Partial<OutboxOptions> = {},
    through: (records: Records) => Records = (records) => records,
  ): { readonly outbox: Outbox; die(): void } {
    this.#pid += 1;
    const pid = this.#pid;
    const identity = { pid, startedAt: "1", bootId: "b", pidNamespace: "n", machineId: "m" };
    const isRunning = (process: { readonly pid: number }): boolean => !this.#dead.has(process.pid);
    const { records } = this.#home.open({ identity, isRunning, clock: this.clock });
    const outbox = new Outbox({
      records: through(records),
      clock: this.clock,
      senders: () => sender,
      report: (error) => {
        throw error;
      },
      ...options,
    });
    return { outbox, die: () => void this.#dead.add(pid) };
  }
}

async function settle(outbox: Outbox): Promise<void> {
  await outbox.pollOnce();
  await outbox.idle();
}

/** Answers with these failures in turn, then takes everything. */
function sender(...failures: readonly (HostError | undefined)[]): Sender & { readonly sent: Delivery[] } {
  const left = [...failures];
  const sent: Delivery[] = [];
  return {
    sent,
    retryMs: [1000, 2000, 4000],
    send(delivery) {
      sent.push(delivery);
      const failure = left.shift();
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    },
  };
}

const passing = new HostError("delivery_failed", "Try later.");

test("a text is sent once, and what is put in twice under one id is one", async () => {
  const stage = new OutboxStage();
  const other = sender();
  const { outbox } = stage.open(other);
  await outbox.put(draft("a"));
  await outbox.put({ ...draft("a"), text: "another" });
  await settle(outbox);
  await settle(outbox);
  expect(other.sent.map(({ text }) => text)).toEqual(["text a"]);
  expect(await outbox.get("a")).toMatchObject({ status: "delivered", attempts: 1 });
});

test("a failure that may pass is tried again after each wait, and then stays to be looked at", async () => {
  const stage = new OutboxStage();
  const other = sender(passing, passing, passing, passing);
  const settled: Delivery[] = [];
  const { outbox } = stage.open(other, {
    settled: (delivery) => Promise.resolve(void settled.push(delivery)),
  });
  await outbox.put(draft("a"));
  const tried: number[] = [];
  for (const wait of [0, 999, 1, 1999, 1, 4000, 60_000]) {
    stage.clock.advance(wait);
    await settle(outbox);
    tried.push(other.sent.length);
  }
  expect(tried).toEqual([1, 1, 2, 2, 3, 4, 4]);
  expect(await outbox.list({ status: "failed", limit: 5 })).toMatchObject([
    { id: "a", attempts: 4, error: "Try later." },
  ]);
  expect(settled.map(({ status }) => status)).toEqual(["failed"]);
  await outbox.redeliver("a");
  await settle(outbox);
  expect(await outbox.get("a")).toMatchObject({ status: "delivered", attempts: 1 });
});

test("each try is recorded with its answer, also the one in which a process died, and those before it was sent again", async () => {
  const stage = new OutboxStage();
  const life = gate();
  let answers: readonly number[] = [503, 500, 200];
  const answering: Sender = {
    retryMs: [1000, 2000],
    async send(_delivery, _signal, heard) {
      const [status = 200, ...rest] = answers;
      answers = rest;
      stage.clock.advance(30);
      heard?.({ status, text: `answer ${status}` });
      if (status === 500) await life.opened;
      if (status !== 200) throw passing;
    },
  };
  const first = stage.open(answering);
  await first.outbox.put(draft("a"));
  await settle(first.outbox);
  const at = stage.clock.now();
  expect((await first.outbox.get("a"))?.tries).toEqual([
    { at: at - 30, ms: 30, answer: { status: 503, text: "answer 503" }, error: "Try later." },
  ]);
  await expect(first.outbox.redeliver("a")).resolves.toMatchObject({ attempts: 0 });
  await first.outbox.pollOnce();
  await expect(first.outbox.redeliver("a")).rejects.toMatchObject({ code: "conflict" });
  first.die();
  const second = stage.open(answering);
  await settle(second.outbox);
  expect(await second.outbox.get("a")).toMatchObject({
    status: "delivered",
    attempts: 2,
    tries: [{ ms: 30 }, { at: expect.any(Number) }, { ms: 30, answer: { status: 200 } }],
  });
  expect((await second.outbox.get("a"))?.tries?.[1]).not.toHaveProperty("ms");
});

test("a list is paged, by what became of deliveries and where they came from; outboxes do not mix", async () => {
  const stage = new OutboxStage();
  const { outbox } = stage.open(sender());
  const { outbox: other } = stage.open(sender(), { space: "other" });
  for (const id of ["a", "b", "c", "d"])
    await outbox.put({ ...draft(id), source: { kind: "job", id: id === "b" ? "j2" : "j1" } });
  expect(await other.page({ limit: 9 })).toEqual({ values: [] });
  const source = { kind: "job", id: "j1" };
  const page = await outbox.page({ source, status: "pending", limit: 2 });
  expect(page.values.map(({ id }) => id)).toEqual(["d", "c"]);
  const rest = await outbox.page({ source, limit: 2, after: page.next ?? 0 });
  expect([rest.values.map(({ id }) => id), rest.next]).toEqual([["a"], undefined]);
});

test("parts that have arrived are not sent again, and each of them gives the rest new tries", async () => {
  const stage = new OutboxStage();
  const after = (partsSent: number) => new HostError("delivery_failed", "Busy.", { details: { partsSent } });
  const other = sender(after(0), after(0), after(2), after(2), after(2), after(5));
  const { outbox } = stage.open(other);
  await outbox.put(draft("a"));
  for (let tries = 0; tries < 7; tries += 1) {
    await settle(outbox);
    stage.clock.advance(4000);
  }
  expect(other.sent.map(({ partsSent = 0 }) => partsSent)).toEqual([0, 0, 0, 2, 2, 2, 5]);
  expect(await outbox.get("a")).toMatchObject({ status: "delivered" });
  await outbox.redeliver("a");
  await settle(outbox);
  expect(other.sent.at(-1)?.partsSent).toBeUndefined();
});

test("a failure that will stay, and a target that is not enabled, end at once", async () => {
  const stage = new OutboxStage();
  const other = sender(new HostError("invalid_params", "There is no such chat."));
  const { outbox } = stage.open(other);
  await outbox.put(draft("a"));
  await settle(outbox);
  expect(await outbox.get("a")).toMatchObject({
    status: "failed",
    attempts: 1,
    error: "There is no such chat.",
  });
  const { outbox: without } = stage.open(undefined);
  await without.put(draft("b"));
  await settle(without);
  expect(await without.get("b")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("not enabled"),
  });
});

test("what stands in one line arrives in its order, and others pass what waits longer than a minute", async () => {
  const stage = new OutboxStage();
  const slow = new HostError("delivery_failed", "Much later.", { details: { retryAfterMs: 300_000 } });
  const other = sender(passing, undefined, undefined, undefined, slow);
  const { outbox } = stage.open(other);
  const inLine = (id: string) => ({ ...draft(id), line: "ann" });
  const step = async (ms: number): Promise<readonly string[]> => {
    other.sent.length = 0;
    stage.clock.advance(ms);
    await settle(outbox);
    return other.sent.map(({ id }) => id);
  };
  expect(await outbox.isHeldUp("ann")).toBe(false);
  await outbox.put(inLine("a"));
  expect([await outbox.isHeldUp("ann"), await outbox.isHeldUp("bob")]).toEqual([true, false]);
  expect(await step(0)).toEqual(["a"]);
  await outbox.put(inLine("b"));
  await outbox.put({ ...draft("c"), line: "bob" });
  // The first one has failed and is tried again in a second.
  expect(await step(0)).toEqual(["c"]);
  expect(await step(1000)).toEqual(["a", "b"]);
  expect(await outbox.isHeldUp("ann")).toBe(false);
  await outbox.put(inLine("d"));
  expect(await step(0)).toEqual(["d"]);
  expect(await outbox.get("d")).toMatchObject({ status: "pending", attempts: 1 });
  expect(await outbox.isHeldUp("ann")).toBe(false);
  await outbox.put(inLine("e"));
  expect(await step(0)).toEqual(["e"]);
  expect(await step(300_000)).toEqual(["d"]);
});

test("the first of a line is found behind however many that have passed it", async () => {
  const stage = new OutboxStage();
  const slow = new HostError("delivery_failed", "Much later.", { details: { retryAfterMs: 300_000 } });
  const lists: number[] = [];
  const counted = (records: Records): Records =>
    changedObject(records, {
      async list(query) {
        const found = await records.list(query);
        lists.push(found.length);
        return found;
      },
    });
  const { outbox } = stage.open(sender(slow), {}, counted);
  const inLine = (id: string) => ({ ...draft(id), line: "ann" });
  await outbox.put(inLine("first"));
  await settle(outbox);
  for (let other = 0; other < 120; other += 1) {
    await outbox.put(inLine(`other ${other}`));
    await settle(outbox);
  }
  expect((await outbox.list({ status: "delivered", limit: 200 })).length).toBe(120);
  expect(await outbox.isHeldUp("ann")).toBe(false);
  // Its next try is less than a minute away.
  stage.clock.advance(250_000);
  lists.length = 0;
  expect(await outbox.isHeldUp("ann")).toBe(true);
  expect(lists).toEqual([1]);
  // What is over is found where it came from.
  expect((await outbox.page({ source: draft("x").source, limit: 200 })).values).toHaveLength(120);
});

test("what an older version left in a line when it was over is taken out, and what waits behind it is sent", async () => {
  const stage = new OutboxStage();
  const other = sender();
  let home: Records | undefined;
  const { outbox } = stage.open(other, {}, (records) => (home = records));
  const kept = (id: string, status: string) => ({
    space: "delivery",
    key: id,
    parent: "line:ann",
    value: JSON.stringify({ ...draft(id), line: "ann", status, attempts: 1, createdAt: 0 }),
  });
  for (let old = 0; old < 25; old += 1)
    await home?.put({ ...kept(`old ${old}`, "delivered"), expiresAt: stage.clock.now() + 1_000_000 });
  await home?.put({ ...kept("waiting", "pending"), dueAt: stage.clock.now() });
  expect(await outbox.isHeldUp("ann")).toBe(true);
  await settle(outbox);
  expect(other.sent.map(({ id }) => id)).toEqual(["waiting"]);
  expect(await home?.list({ space: "delivery", parent: "line:ann", limit: 100 })).toEqual([]);
  const over = await outbox.page({ source: draft("x").source, status: "delivered", limit: 100 });
  expect(over.values).toHaveLength(26);
  expect((await home?.list({ space: "delivery", limit: 100 }))?.every(({ expiresAt }) => expiresAt)).toBe(
    true,
  );
});

test("a try that is cut off because its process ends is none, and may have arrived", async () => {
  const stage = new OutboxStage();
  const begun = gate();
  const cut: Sender = {
    retryMs: [],
    async send(_delivery, signal) {
      begun.open();
      await untilAborted(signal);
      throw signal.reason;
    },
  };
  const first = stage.open(cut);
  await first.outbox.put(draft("a"));
  await first.outbox.pollOnce();
  await begun.opened;
  await first.outbox[Symbol.asyncDispose]();
  expect(await first.outbox.get("a")).toMatchObject({ status: "pending", attempts: 0, uncertain: true });
  const other = sender();
  const second = stage.open(other);
  stage.clock.advance(1000);
  await settle(second.outbox);
  expect(other.sent).toMatchObject([{ id: "a", uncertain: true }]);
  expect(await second.outbox.get("a")).toMatchObject({ status: "delivered", attempts: 1 });
});

test("a delivery in whose middle the store fails goes on when it is there again, and its line with it", async () => {
  const stage = new OutboxStage();
  const other = sender();
  const reported: string[] = [];
  let failures = 0;
  const failing = (records: Records): Records =>
    new Proxy(records, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (name === "replace" && failures-- > 0)
          return () => Promise.reject(new HostError("store_unavailable", "It is locked."));
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  const { outbox } = stage.open(other, { report: ({ code }) => void reported.push(code) }, failing);
  await outbox.put({ ...draft("a"), line: "ann" });
  await outbox.put({ ...draft("b"), line: "ann" });
  // That a try begins cannot be noted, and then not that it arrived.
  failures = 2;
  await outbox.pollOnce();
  await untilTrue(() => reported.length === 2);
  await stage.clock.untilPending();
  stage.clock.advance(1000);
  await outbox.idle();
  for (let step = 0; step < 3; step += 1) {
    stage.clock.advance(1000);
    await settle(outbox);
  }
  expect(other.sent.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(await outbox.isHeldUp("ann")).toBe(false);
  expect(new Set(reported)).toEqual(new Set(["store_unavailable"]));
});

test("a try that is interrupted while the outbox goes on is none", async () => {
  const stage = new OutboxStage();
  const interrupted = new HostError("interrupted", "The connector closes.");
  const other = sender(...Array.from({ length: 10 }, () => interrupted));
  const { outbox } = stage.open(other);
  await outbox.put(draft("a"));
  for (let step = 0; step < 11; step += 1) {
    stage.clock.advance(1000);
    await settle(outbox);
  }
  expect(other.sent).toHaveLength(11);
  expect(await outbox.get("a")).toMatchObject({ status: "delivered", attempts: 1 });
});

test("the other side's wish to wait longer is heeded", async () => {
  const stage = new OutboxStage();
  const other = sender(new HostError("delivery_failed", "Slow down.", { details: { retryAfterMs: 30_000 } }));
  const { outbox } = stage.open(other);
  await outbox.put(draft("a"));
  await settle(outbox);
  stage.clock.advance(29_000);
  await settle(outbox);
  expect(other.sent).toHaveLength(1);
  stage.clock.advance(1000);
  await settle(outbox);
  expect(other.sent).toHaveLength(2);
});

test("what a dying process was sending is sent by another, and never more often than promised", async () => {
  const stage = new OutboxStage();
  const stuck = gate();
  let tries = 0;
  const hanging: Sender = {
    retryMs: [0],
    async send() {
      tries += 1;
      await stuck.opened;
    },
  };
  for (let life = 0; life < 4; life += 1) {
    const process = stage.open(hanging);
    const { outbox } = process;
    if (life === 0) await outbox.put(draft("a"));
    await outbox.pollOnce();
    // From the third life on nothing is tried any more.
    await (life < 2 ? untilTrue(() => tries === life + 1) : outbox.idle());
    process.die();
  }
  const { outbox } = stage.open(hanging);
  await settle(outbox);
  expect(tries).toBe(2);
  expect(await outbox.get("a")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("not known"),
  });
});

describe("targets", () => {
  const CHATS: TargetKind = { chat: "home", threads: false, needs: [] };
  const THREADS: TargetKind = { ...CHATS, threads: true };
  const sources = {
    kinds: new Map<string, TargetKind>([
      ["local", ONE_PLACE],
      ["log", ONE_PLACE],
      ["email", { ...CHATS, chat: "named" }],
      ["messenger_1", THREADS],
      ["messenger_3", THREADS],
      ["messenger_4", CHATS],
      ["messenger_6", THREADS],
      ["messenger_9", ONE_PLACE],
      ["telegram", THREADS],
      ["code_host_comment", { ...ONE_PLACE, needs: ["repo", "pr_number"] }],
    ]),
    homes: () => ["messenger_1", "messenger_3"],
    origin: { kind: "messenger_1", chatId: "42" },
  };

  test.each([
    ["local", [{ kind: "local" }]],
    ["origin", [{ kind: "messenger_1", chatId: "42" }]],
    ["all", [{ kind: "messenger_1" }, { kind: "messenger_3" }]],
    ["all, messenger_1", [{ kind: "messenger_1" }, { kind: "messenger_3" }]],
    ["messenger_1:-100:7", [{ kind: "messenger_1", chatId: "-100", threadId: "7" }]],
    ["messenger_3:#general,log", [{ kind: "messenger_3", chatId: "#general" }, { kind: "log" }]],
    ["messenger_6:!room:example.org", [{ kind: "messenger_6", chatId: "!room:example.org" }]],
    ["email:a@b.org", [{ kind: "email", chatId: "a@b.org" }]],
  ])("%s", (text, targets) => {
    expect(readTargets(text, sources)).toEqual(targets);
  });

  test.each([
    "",
    "pigeon",
    "messenger_1:",
    "messenger_9:5",
    Array.from({ length: 30 }, () => "log").join(","),
  ])("%j is refused", (text) => {
    expect(() => readTargets(text, sources)).toThrow(HostError);
  });

  test.each([
    ["telegrm", {}, "Did you mean telegram?"],
    ["mesenger_1", {}, "Did you mean messenger_1?"],
    ["orgin", {}, "Did you mean origin?"],
    ["nosuch", {}, "Unknown or disabled"],
    ["messenger_9:5", {}, "one place only"],
    ["messenger_9", { chat_id: "5" }, "chat_id would be ignored"],
    ["log", { chat_id: "5" }, "chat_id would be ignored"],
    ["messenger_4:5:7", {}, "no threads"],
    ["messenger_4", { thread_id: 7 }, "thread_id would be ignored"],
    ["messenger_9,log", { message_thread_id: "7" }, "thread_id would be ignored"],
    ["email", {}, "has no home"],
    ["email", { chat_id: " " }, "has no home"],
    ["code_host_comment", {}, "needs `repo`"],
    ["code_host_comment", { repo: "a/b" }, "needs `pr_number`"],
  ])("%s with %j is refused, with what was meant", (text, extra, message) => {
    expect(() => readTargets(text, { ...sources, extra })).toThrow(message);
  });

  test("what a delivery says beside its list is for every target that can have it and names none", () => {
    const extra = { chat_id: 5, thread_id: "7" };
    expect(readTargets("messenger_1,messenger_4,messenger_9,email:a@b.org", { ...sources, extra })).toEqual([
      { kind: "messenger_1", chatId: "5", threadId: "7" },
      { kind: "messenger_4", chatId: "5" },
      { kind: "messenger_9" },
      { kind: "email", chatId: "a@b.org" },
    ]);
  });
});

test("what stays on this machine is sent at once, and recorded only when that fails", async () => {
  const stage = new OutboxStage();
  const logged = { ...sender(undefined, passing), atOnce: true };
  const { outbox } = stage.open(logged);
  expect(await outbox.put(draft("a"))).toMatchObject({ status: "delivered" });
  expect(await outbox.list({ limit: 5 })).toEqual([]);
  expect(await outbox.put(draft("b"))).toMatchObject({ status: "pending" });
  await settle(outbox);
  expect(await outbox.get("b")).toMatchObject({ status: "delivered", attempts: 1 });
});
