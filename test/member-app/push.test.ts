import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OpenApps, type OpenAppsParts } from "../../src/member-app/push/open-apps.ts";
import { memoryHome } from "../../src/providers/store/index.ts";
import { systemClock } from "../../src/shared/async/clock.ts";
import { handClock } from "../kit/clock.ts";
import { gate, say, wait } from "../kit/scripted-model.ts";
import { pushService } from "./push-service.ts";
import { type AppStage, appStage, messagesUntil, type Phone } from "./stage.ts";

const ADA = "+4915123456789";

/** Lets everything that is due be told. */
async function tell({ app: { pushes } }: AppStage): Promise<void> {
  await pushes.follower.pollOnce();
  await pushes.outbox.pollOnce();
  await pushes.outbox.idle();
}

async function ended({ host }: AppStage, id: string): Promise<number> {
  const session = await host.session(id);
  for await (const { type, seq } of session.events({ after: 0, live: false }))
    if (type === "turn.end") return seq;
  return 0;
}

test("a closed app is told of an answer: encrypted for that device, signed, without what was said, and once whatever process dies", async () => {
  await using service = await pushService();
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  const { key } = (await (await ada.get("/push")).json()) as { readonly key: string };
  expect((await ada.post("/push", service.subscription)).status).toBe(200);
  expect(await (await ada.get("/push")).json()).toEqual({ key, on: true });
  stage.model.script([say("The password is swordfish.")]);
  const id = await ada.say("tell me the password");
  await ada.patch(`/conversations/${id}`, { title: "Doors" });
  await ended(stage, id);
  await tell(stage);
  expect(service.pushed).toHaveLength(1);
  const [{ text, headers, claims, key: signer } = { text: "", headers: {}, claims: {}, key: "" }] =
    service.pushed;
  expect(JSON.parse(text)).toEqual({ title: "Doors", body: "Your answer is there.", conversation: id });
  expect(signer).toBe(key);
  expect(claims["aud"]).toBe(new URL(service.subscription.endpoint).origin);
  expect(headers).toMatchObject({ ttl: "43200", urgency: "normal", "content-encoding": "aes128gcm" });
  // A process that dies before it notes how far it read tells nothing twice.
  await stage.host.services.store.records.remove("app.push.cursor", "news");
  await tell(stage);
  expect(service.pushed).toHaveLength(1);
  const file = join(stage.home, "push_keys.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a push waits for a service that is down, stops where a device is gone, and is left out for what was seen", async () => {
  await using service = await pushService();
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  await ada.post("/push", service.subscription);
  const answered = async (): Promise<readonly [id: string, end: number]> => {
    const id = await ada.say("hello");
    return [id, await ended(stage, id)];
  };
  service.answers.push(503);
  await answered();
  await tell(stage);
  expect(service.pushed).toHaveLength(0);
  stage.clock.advance(5000);
  await tell(stage);
  expect(service.pushed).toHaveLength(1);

  const [seen, seq] = await answered();
  const row = async () => {
    const { data } = (await (await ada.get("/conversations")).json()) as {
      readonly data: readonly {
        readonly id: string;
        readonly unread: boolean;
        readonly title: string;
        readonly preview: string;
      }[];
    };
    return data.find(({ id }) => id === seen);
  };
  expect(await row()).toMatchObject({ unread: true, title: "hello", preview: "ok" });
  await ada.post(`/conversations/${seen}/read`, { seq });
  expect(await row()).toMatchObject({ unread: false });
  await tell(stage);
  expect(service.pushed).toHaveLength(1);

  // The app is open before them, at another host, and shows it; when they leave without having seen it, they are told.
  await using other = await appStage({ beside: stage });
  const half = gate();
  stage.model.script([say("a"), wait(half)]);
  const id = await ada.say("slowly");
  const reader = new AbortController();
  const open = await fetch(`${other.url}/app/api/conversations/${id}/events`, {
    headers: { cookie: ada.cookie },
    signal: reader.signal,
  });
  await messagesFirst(open);
  await other.app.pushes.open.noted();
  half.open();
  await ended(stage, id);
  await tell(stage);
  expect(service.pushed).toHaveLength(1);
  reader.abort();
  await expect.poll(() => stage.app.pushes.open.has(ada.id)).toBe(false);
  stage.clock.advance(5000);
  await tell(stage);
  expect(service.pushed).toHaveLength(2);

  service.answers.push(410);
  await answered();
  await tell(stage);
  expect(await (await ada.get("/push")).json()).toMatchObject({ on: false });
});

/** Reads until the first message is there, and reads no further. */
async function messagesFirst(response: Response): Promise<void> {
  await response.body?.getReader().read();
}

test("a subscription ends with its device, leads to no private address, and is nobody else's", async () => {
  await using service = await pushService();
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  const subscribe = (phone: Phone, endpoint: string) =>
    phone.post("/push", { ...service.subscription, endpoint });
  for (const endpoint of [
    "http://10.0.0.1/push",
    "https://169.254.169.254/x",
    "http://[::1]:80/",
    "file:///etc/passwd",
  ])
    expect((await subscribe(ada, endpoint)).status, endpoint).toBeGreaterThanOrEqual(400);
  expect((await stage.phone().post("/push", service.subscription)).status).toBe(401);
  await ada.post("/push", service.subscription);
  // With the same endpoint Eve hears of her own alone, and what she ends is her own.
  const eve = await stage.member("Eve", "+4915123456780");
  await eve.post("/push", service.subscription);
  await eve.remove("/push");
  const id = await ada.say("hello");
  await ended(stage, id);
  const other = await eve.say("of Eve");
  await ended(stage, other);
  await tell(stage);
  expect(
    service.pushed.map(({ text }) => (JSON.parse(text) as { conversation: string }).conversation),
  ).toEqual([id]);
  await messagesUntil(await ada.get(`/conversations/${id}/events`), "end");
  await ada.post("/sign-out");
  const records = stage.host.services.store.records;
  await expect.poll(() => records.list({ space: "app.push", limit: 9 })).toEqual([]);
});

test("a member who left while it was looked up whether to note them is nowhere noted as having the app open", async () => {
  const home = memoryHome();
  const [here, there] = [1, 2].map((pid) => {
    const identity = { pid, startedAt: "1", bootId: "b", pidNamespace: "n", machineId: "m" };
    return home.open({ identity, isRunning: () => true });
  });
  if (here === undefined || there === undefined) throw new Error("There are two.");
  const looked = gate();
  const isWanted = () => (looked.arrive(), looked.opened.then(() => true));
  const [apps, others] = [here, there].map(
    ({ records, hostId }) => new OpenApps({ records, hostId, clock: systemClock, isWanted }),
  );
  const leave = apps?.enter("ada");
  await looked.reached;
  leave?.();
  looked.open();
  await apps?.noted();
  expect(await others?.has("ada")).toBe(false);
  apps?.enter("ada");
  await apps?.noted();
  expect(await others?.has("ada")).toBe(true);
  await apps?.[Symbol.asyncDispose]();
  await here[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
});

test("what is noted of an open app is noted again when it was lost, could not be written or would be over", async () => {
  const home = memoryHome();
  const clock = handClock();
  const [here, there] = [1, 2].map((pid) => {
    const identity = { pid, startedAt: "1", bootId: "b", pidNamespace: "n", machineId: "m" };
    return home.open({ identity, isRunning: () => true, clock });
  });
  if (here === undefined || there === undefined) throw new Error("There are two.");
  let failures = 0;
  const unlessItFails = <T>(write: () => Promise<T>): Promise<T> =>
    (failures -= 1) >= 0 ? Promise.reject(new Error("The database is away.")) : write();
  const records: OpenAppsParts["records"] = {
    list: (query) => here.records.list(query),
    put: (draft) => unlessItFails(() => here.records.put(draft)),
    remove: (...place) => unlessItFails(() => here.records.remove(...place)),
  };
  const isWanted = () => Promise.resolve(true);
  const apps = new OpenApps({ records, hostId: here.hostId, clock, isWanted });
  const others = new OpenApps({ records: there.records, hostId: there.hostId, clock, isWanted });
  const has = () => others.has("ada");
  const isSeenLater = async () => {
    clock.advance(60_000);
    await apps.noted();
    return await has();
  };
  failures = 1;
  const leave = apps.enter("ada");
  await apps.noted();
  expect(await has()).toBe(false);
  expect(await isSeenLater()).toBe(true);
  // The host was cut off for a while: the note is nobody's.
  const [note] = await there.records.list({ space: "app.open", limit: 1 });
  await there.records.put({ space: "app.open", key: note?.key ?? "", parent: "ada", value: "{}" });
  expect(await has()).toBe(false);
  expect(await isSeenLater()).toBe(true);
  clock.advance(13 * 3_600_000);
  await apps.noted();
  expect(await isSeenLater()).toBe(true);
  failures = 1;
  leave();
  expect(await isSeenLater()).toBe(false);
  await apps[Symbol.asyncDispose]();
  await here[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
});
