import { expect, test, vi } from "vitest";
import { HostError } from "../../src/core/index.ts";
import { appSignInFault } from "../../src/app/people/app-sign-in-check.ts";
import { signInEvents } from "../../src/app/background/sign-in-events.ts";
import { AuditLog } from "../../src/dashboard/index.ts";
import { Devices } from "../../src/member-app/index.ts";
import { appStage, messagesUntil } from "./stage.ts";

const ADA = "+4915123456789";
const NOBODY = "+4915123456780";
const MINUTE = 60_000;

test("whoever looks after a home hears that nobody can sign in, as long as somebody would", async () => {
  await using stage = await appStage();
  const { roster } = stage;
  expect(await appSignInFault(roster, false)).toBeUndefined();
  const { id } = await roster.add({ name: "Ada", mobile: ADA });
  await roster.add({ name: "Without a phone" });
  expect(await appSignInFault(roster, false)).toMatch(/^1 user with a mobile number cannot.*platforms\.sms/);
  expect(await appSignInFault(roster, true)).toBeUndefined();
  await roster.change(id, { disabled: true });
  expect(await appSignInFault(roster, false)).toBeUndefined();
});

test("other software is told of who signs in at the app, as at the dashboard", async () => {
  await using stage = await appStage();
  const { services } = stage.host;
  const audit = new AuditLog(services.store.records, services);
  for (const action of ["app.sign-in", "sign-in", "app.code-failed"])
    await audit.note({ who: `by ${action}`, from: "127.0.0.1", action });
  const { events } = await signInEvents(audit).read(0);
  expect(events).toMatchObject([{ user: "by app.sign-in" }, { user: "by sign-in" }]);
});

test("a home without users has no app, and says so; with the first one it is there", async () => {
  await using stage = await appStage();
  const phone = stage.phone();
  const [me, code] = [await phone.get("/me"), await phone.post("/sign-in", { mobile: ADA })];
  expect([me.status, code.status]).toEqual([404, 404]);
  expect(await me.text()).toContain("agent users add");
  await stage.roster.add({ name: "Ada", mobile: ADA });
  expect((await phone.get("/me")).status).toBe(200);
});

test("a code of one's own phone signs a device in, once; what is answered does not tell who is on the roster", async () => {
  await using stage = await appStage();
  const { id } = await stage.roster.add({ name: "Ada", mobile: ADA });
  const phone = stage.phone();
  expect(await (await phone.get("/me")).json()).toEqual({});
  const [known, unknown] = [
    await phone.post("/sign-in", { mobile: "0049 151 2345 6789" }),
    await phone.post("/sign-in", { mobile: NOBODY }),
  ];
  expect(await known.text()).toBe(await unknown.text());
  expect([known.status, unknown.status]).toEqual([200, 200]);
  expect(stage.texts.map(({ mobile }) => mobile)).toEqual([ADA]);
  const { code = "" } = stage.texts[0] ?? {};
  expect(code).toMatch(/^\d{6}$/);
  const refused = await phone.post("/sign-in/code", { mobile: NOBODY, code });
  expect(refused.status).toBe(401);
  const wrong = await phone.post("/sign-in/code", { mobile: ADA, code: other(code) });
  expect(await wrong.text()).toBe(await refused.text());
  expect((await phone.post("/sign-in/code", { mobile: ADA, code })).status).toBe(200);
  expect(phone.cookie).toMatch(/^agent-app=[\w-]{43}$/);
  expect(await (await phone.get("/me")).json()).toEqual({ user: { id, name: "Ada" } });
  // The same code again, and the cookie under another name.
  expect((await stage.phone().post("/sign-in/code", { mobile: ADA, code })).status).toBe(401);
  const records = await stage.host.services.store.records.list({ space: "app.devices", limit: 9 });
  expect(JSON.stringify(records)).not.toContain(phone.cookie.slice("agent-app=".length));
});

test("a code is good for five minutes and five tries, and three are sent in an hour", async () => {
  await using stage = await appStage();
  await stage.roster.add({ name: "Ada", mobile: ADA });
  const phone = stage.phone();
  const enter = (code: string) => phone.post("/sign-in/code", { mobile: ADA, code });
  const newest = (): string => stage.texts.at(-1)?.code ?? "";
  await phone.post("/sign-in", { mobile: ADA });
  // All at once: each is counted.
  const guesses = await Promise.all(Array.from({ length: 12 }, () => enter(other(newest()))));
  expect(guesses.every(({ status }) => status === 401)).toBe(true);
  expect((await enter(newest())).status).toBe(401);
  await phone.post("/sign-in", { mobile: ADA });
  stage.clock.advance(5 * MINUTE);
  expect((await enter(newest())).status).toBe(401);
  const first = newest();
  await phone.post("/sign-in", { mobile: ADA });
  if (first !== newest()) expect((await enter(first)).status).toBe(401);
  for (const mobile of [ADA, NOBODY, NOBODY, NOBODY, NOBODY]) await phone.post("/sign-in", { mobile });
  const tooMany = await Promise.all([ADA, NOBODY].map((mobile) => phone.post("/sign-in", { mobile })));
  expect(tooMany.map(({ status }) => status)).toEqual([429, 429]);
  expect(stage.texts).toHaveLength(3);
  expect((await enter(newest())).status).toBe(200);
  stage.clock.advance(61 * MINUTE);
  expect((await phone.post("/sign-in", { mobile: ADA })).status).toBe(200);
  expect((await phone.post("/sign-in", { mobile: "12" })).status).toBe(400);
});

test("what is refused because its network asked for too many codes is no wish of the number", async () => {
  await using stage = await appStage();
  await stage.roster.add({ name: "Ada", mobile: ADA });
  const ask = (mobile: string, address: string): Promise<Response> =>
    stage.phone({ "x-forwarded-for": address }).post("/sign-in", { mobile });
  for (let asked = 0; asked < 60; asked += 1) await ask(`+49151300${10_000 + asked}`, "203.0.113.9");
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const refused = await ask(ADA, "203.0.113.9");
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringMatching(/from your network/)]);
  }
  expect((await ask(ADA, "203.0.113.10")).status).toBe(200);
  for (let attempt = 0; attempt < 2; attempt += 1) await ask(ADA, "203.0.113.10");
  expect(await (await ask(ADA, "203.0.113.10")).text()).toMatch(/to one number/);
  expect(stage.texts).toHaveLength(3);
});

test("many requests of a device at once are answered, also where it cannot be noted that it was there", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  const statuses = async (): Promise<readonly number[]> => {
    stage.clock.advance(2 * MINUTE);
    const asked = Array.from({ length: 60 }, () => ada.get("/conversations"));
    return [...new Set((await Promise.all(asked)).map(({ status }) => status))];
  };
  const { records } = stage.host.services.store;
  const writes = vi.spyOn(records, "replace");
  expect(await statuses()).toEqual([200]);
  expect((await records.list({ space: "app.devices", limit: 9 })).at(-1)?.version).toBe(2);
  writes.mockRejectedValue(new HostError("store_full", "The disk is full."));
  expect(await statuses()).toEqual([200]);
  writes.mockRestore();
});

test("a device is signed out after 90 days, by its member, and when they leave the roster; its streams end with it", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  const { data } = (await (await ada.get("/devices")).json()) as { data: { id: string; current: boolean }[] };
  expect(data).toMatchObject([{ current: true, browser: "Test phone" }]);
  const conversation = await ada.say("hello");
  const events = `/conversations/${conversation}/events`;
  const seen = await messagesUntil(await ada.get(events), "end");
  expect(seen.at(-1)?.data).toMatchObject({ outcome: "completed" });
  const rest = messagesUntil(await ada.get(events), "never");
  await ada.remove(`/devices/${data[0]?.id ?? ""}`);
  expect((await rest).map(({ event }) => event)).toContain("end");
  expect((await ada.get("/conversations")).status).toBe(401);

  const bob = await stage.member("Bob", NOBODY);
  await stage.roster.change(bob.id, { disabled: true });
  expect((await bob.get("/conversations")).status).toBe(401);
  await stage.roster.change(bob.id, { disabled: false });
  // Whoever is let in again signs in again.
  expect((await bob.get("/conversations")).status).toBe(401);

  const eve = await stage.member("Eve", "+4915123456781");
  const own = await eve.say("hello");
  await messagesUntil(await eve.get(`/conversations/${own}/events`), "end");
  const cut = messagesUntil(await eve.get(`/conversations/${own}/events`), "never");
  // As the page Users does, or a command of this process.
  await new Devices(stage.host.services.store.records, stage.clock).endAll(eve.id);
  expect((await cut).map(({ event }) => event)).toContain("end");
  expect((await eve.get("/conversations")).status).toBe(401);
  const later = await eve.post("/sign-in", { mobile: "+4915123456781" });
  expect(later.status).toBe(200);
  const { code = "" } = stage.texts.at(-1) ?? {};
  await eve.post("/sign-in/code", { mobile: "+4915123456781", code });
  stage.clock.advance(89 * 24 * 60 * MINUTE);
  expect((await eve.get("/conversations")).status).toBe(200);
  stage.clock.advance(24 * 60 * MINUTE);
  expect((await eve.get("/conversations")).status).toBe(401);
});

test("pages of other sites ask nothing", async () => {
  await using stage = await appStage();
  const ada = await stage.member("Ada", ADA);
  const json = { "content-type": "application/json" };
  const foreign = { ...json, origin: "https://evil.test" };
  const answers = await Promise.all([
    ada.post("/prompts", { id: "12345678", text: "x" }, foreign),
    ada.post("/prompts", { id: "12345678", text: "x" }, { ...json, "sec-fetch-site": "cross-site" }),
    ada.get("/conversations", { "sec-fetch-site": "same-site" }),
    ada.post("/prompts", { id: "12345678", text: "x" }, { "content-type": "text/plain" }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 415]);
  expect(await (await ada.get("/conversations")).json()).toEqual({ data: [] });
});

const other = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, "0");
