import { expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { type Received, Receiver } from "../../kit/receiver.ts";
import { fail, say, scriptedModel } from "../../kit/scripted-model.ts";
import { Webhook } from "../../kit/standard-webhooks.ts";
import { ADDRESS, OutgoingStage } from "./stage.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Whether a request is signed as the library of Standard Webhooks signs it. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": given } = headers;
  return new Webhook(secret).sign(id, new Date(1000 * Number(time)), body) === given;
}

test("what happens in sessions is sent signed, in order, and with its text only where that is asked for", async () => {
  await using receiver = await Receiver.start();
  await using chatty = await Receiver.start();
  const stage = new OutgoingStage();
  const broken = new HostError("provider_bad_request", "It does not like that.");
  const { host, events, look } = await stage.start(scriptedModel([say("Hello")], [fail(broken)]));
  const plain = await events.addresses.add({ ...ADDRESS, url: receiver.url });
  await events.addresses.add({ ...ADDRESS, url: chatty.url, events: ["turn.completed"], includeText: true });
  const session = await host.open({ title: "A title" });
  await session.submit({ text: "secret words", from: { surface: "test" } }).result;
  await session.submit({ text: "again", from: { surface: "test" } }).result;
  await look();
  expect(receiver.types.toSorted()).toEqual(["session.started", "turn.completed", "turn.failed"]);
  expect(receiver.received.every((each) => isSigned(each, plain.secret))).toBe(true);
  expect(receiver.received.map(({ body }) => body).join("")).not.toMatch(/secret words|the answer|like that/);
  expect(chatty.received).toMatchObject([
    {
      event: {
        type: "turn.completed",
        data: { session_id: session.id, session_title: "A title", text: "the answer" },
      },
    },
  ]);
  const failed = receiver.received.find(({ event }) => event.type === "turn.failed");
  expect(failed?.event.data).toMatchObject({ outcome: "failed", code: "provider_bad_request" });
  expect(failed?.event.data["event_id"]).toBe(failed?.headers["webhook-id"]);
});

test("eight tries in a day, each recorded; sent again, an event keeps its id", async () => {
  await using receiver = await Receiver.start();
  const stage = new OutgoingStage();
  const { events, look } = await stage.start(scriptedModel());
  const { clock } = stage.machine;
  const { id, secret } = await events.addresses.add({ ...ADDRESS, url: receiver.url });
  receiver.answer = 503;
  const began = clock.now();
  await events.jobFailed(
    { id: "j", name: "Nightly" },
    { id: "j:1", jobId: "j", trigger: "manual", dueAt: 0, status: "error", attempt: 1, error: "No" },
  );
  for (;;) {
    await look();
    const [waiting] = (await events.outbox.page({ status: "pending", limit: 1 })).values;
    if (waiting?.nextAt === undefined) break;
    clock.advance(waiting.nextAt - clock.now());
  }
  const { values } = await events.outbox.page({ limit: 9 });
  const [sent] = values;
  expect(sent).toMatchObject({ status: "failed", error: "The address answered 503.", attempts: 8 });
  const times = (sent?.tries ?? []).map(({ at }) => at - began);
  expect([times.length, times[0], (times.at(-1) ?? 0) / DAY]).toEqual([8, 0, expect.closeTo(1, 2)]);
  expect(
    times.slice(2).every((at, nth) => at - (times[nth + 1] ?? 0) > (times[nth + 1] ?? 0) - (times[nth] ?? 0)),
  ).toBe(true);
  expect(sent?.tries?.[3]).toMatchObject({
    answer: { status: 503, text: "told 503" },
    error: expect.any(String),
  });
  expect(await events.health.failure(id)).toMatchObject({ since: began });

  receiver.answer = 200;
  clock.advance(1000);
  await events.outbox.redeliver(sent?.id ?? "");
  await look();
  expect(await events.outbox.get(sent?.id ?? "")).toMatchObject({
    status: "delivered",
    tries: { length: 9 },
  });
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(9);
  expect(receiver.received.every((each) => isSigned(each, secret))).toBe(true);
  expect(await events.health.failure(id)).toBeUndefined();
});

test("an address that fails for three days is switched off, once, and so is one that says that it is gone", async () => {
  await using receiver = await Receiver.start();
  const stage = new OutgoingStage();
  const { events, host, look } = await stage.start(scriptedModel());
  const { clock } = stage.machine;
  const { id } = await events.addresses.add({ ...ADDRESS, url: receiver.url, events: ["session.started"] });
  receiver.answer = 500;
  await host.open();
  await look();
  clock.advance(3 * DAY - 1);
  await look();
  expect(stage.switchedOff).toEqual([]);
  clock.advance(DAY);
  await host.open();
  await look();
  expect(stage.switchedOff).toEqual(["It has failed for 3 days: The address answered 500."]);
  expect(events.addresses.get(id)).toMatchObject({ enabled: false, off_reason: stage.switchedOff[0] });
  const tried = receiver.received.length;
  await host.open();
  await look();
  clock.advance(DAY);
  await look();
  expect(receiver.received).toHaveLength(tried);

  receiver.answer = 200;
  await events.turn(id, true);
  expect(events.addresses.get(id)).not.toHaveProperty("off_reason");
  const { id: fresh } = await host.open();
  await look();
  expect(receiver.received.slice(tried).map(({ event }) => event.data["session_id"])).toEqual([fresh]);
  receiver.answer = 410;
  await host.open();
  await look();
  expect(events.addresses.get(id)).toMatchObject({
    enabled: false,
    off_reason: expect.stringContaining("410"),
  });
});

test("nothing is lost or sent under two ids when processes come, follow at once, and die", async () => {
  await using receiver = await Receiver.start();
  const stage = new OutgoingStage();
  const model = scriptedModel();
  const first = await stage.start(model);
  const second = await stage.start(model);
  const { addresses } = first.events;
  await first.host.open({ id: "before" });
  stage.machine.clock.advance(1);
  await addresses.add({ ...ADDRESS, url: receiver.url });
  const ids: string[] = [];
  const open = async (): Promise<void> => void ids.push((await second.host.open()).id);
  await open();
  await Promise.all([first.look(), second.look()]);
  await open();
  // It dies between what it was to tell and the sending.
  await first.events.follower.pollOnce();
  first.die();
  await second.host.sweep();
  await open();
  await second.look();
  await second.look();
  const third = await stage.start(model);
  await open();
  second.die();
  await third.look();
  const told = receiver.received.map(({ event }) => String(event.data["session_id"]));
  expect(told.toSorted()).toEqual(ids.toSorted());
});

test("no redirect is followed, no private host is reached that nobody allowed, and such a failure is told", async () => {
  await using receiver = await Receiver.start();
  await using inner = await Receiver.start();
  const stage = new OutgoingStage();
  const { events, host, look } = await stage.start(scriptedModel());
  await events.addresses.add({ ...ADDRESS, url: receiver.url });
  receiver.answer = { location: inner.url };
  await host.open();
  await look();
  expect(inner.received).toEqual([]);
  const [sent] = (await events.outbox.page({ limit: 1 })).values;
  expect(sent).toMatchObject({ status: "pending", error: expect.stringContaining("redirect") });
  const walled = new OutgoingStage();
  const other = await walled.start(scriptedModel(), { allow: [] });
  const address = await other.events.addresses.add({ ...ADDRESS, url: inner.url });
  await other.events.publisher.test(address);
  await other.look();
  expect(inner.received).toEqual([]);
  expect((await other.events.outbox.page({ limit: 1 })).values).toMatchObject([
    { status: "failed", error: expect.stringContaining("private address") },
  ]);
});

test("a connector that stays down is told of once, and when it is up again; a short break is none", async () => {
  await using receiver = await Receiver.start();
  const stage = new OutgoingStage();
  const { events, look } = await stage.start(scriptedModel());
  const { clock } = stage.machine;
  await events.addresses.add({ ...ADDRESS, url: receiver.url });
  const telegram = { platform: "telegram", title: "Telegram", error: "a token" } as const;
  for (const [state, wait] of [
    ["down", 30_000],
    ["up", 30_000],
    ["down", 61_000],
    ["down", 61_000],
    ["down", 10_000],
    ["off", 10_000],
    ["up", 10_000],
    ["up", 10_000],
  ] as const) {
    stage.connectors = [{ ...telegram, state, since: clock.now() }];
    await look();
    clock.advance(wait);
  }
  await look();
  expect(receiver.types).toEqual(["connector.down", "connector.up"]);
  expect(receiver.received[0]?.event.data).toMatchObject({ platform: "telegram", title: "Telegram" });
  expect(receiver.received[0]?.body).not.toContain("a token");
});

test("a newer version is told of once, however often it is found", async () => {
  await using receiver = await Receiver.start();
  const stage = new OutgoingStage();
  const { events, look } = await stage.start(scriptedModel());
  await events.addresses.add({ ...ADDRESS, url: receiver.url, events: ["update.available"] });
  await events.updateAvailable("1.0.0", "1.1.0");
  await look();
  await events.updateAvailable("1.0.0", "1.1.0");
  await events.updateAvailable("1.0.0", "1.2.0");
  await look();
  expect(
    receiver.received.map(({ event: { type, data } }) => [type, data["installed"], data["version"]]),
  ).toEqual([
    ["update.available", "1.0.0", "1.1.0"],
    ["update.available", "1.0.0", "1.2.0"],
  ]);
});
