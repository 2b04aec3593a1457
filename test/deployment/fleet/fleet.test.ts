import { describe, expect, test } from "vitest";
import { Fleet, FLEET_PATH, fleetApp, HeartbeatSender } from "../../../src/deployment/fleet/index.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import { handClock } from "../../kit/clock.ts";
import { randomHex } from "../../../src/shared/crypto/random-hex.ts";

const MINUTE = 60_000;

function stage() {
  const clock = handClock();
  const identity = { pid: 1, startedAt: "1", bootId: "b", pidNamespace: "n", machineId: "m" };
  const { records } = memoryHome().open({ identity, isRunning: () => true, clock });
  const fleet = new Fleet({ records, clock, hex: randomHex });
  const app = fleetApp(fleet, {
    log: () => undefined,
    report: (error) => {
      throw error;
    },
  });
  return {
    clock,
    fleet,
    beat: async (instance: string, token: string, more: Record<string, string> = {}) => {
      const body = JSON.stringify({ instance, version: "1.2.3" });
      const headers = { authorization: `Bearer ${token}`, "content-length": String(body.length), ...more };
      return (await app.request(`${FLEET_PATH}/heartbeat`, { method: "POST", body, headers })).status;
    },
    json: async () => {
      const answer = await app.request(`${FLEET_PATH}/status`);
      return {
        text: await answer.clone().text(),
        body: (await answer.json()) as Record<string, unknown>,
        answer,
      };
    },
    page: async () => await (await app.request(`${FLEET_PATH}/status.html`)).text(),
    app,
  };
}

test("a fleet is operational while every registered instance was heard of in the last five minutes", async () => {
  const { clock, fleet, beat, json, page } = stage();
  const a = await fleet.register("a");
  const b = await fleet.register("b");
  expect((await json()).body).toMatchObject({
    status: "degraded",
    fleet: { instances_online: 0, instances_total: 2 },
  });
  expect([await beat("a", a), await beat("b", b)]).toEqual([200, 200]);
  expect((await json()).body).toEqual({
    status: "operational",
    fleet: { instances_online: 2, instances_total: 2 },
    incidents: [],
    generated_at: "2026-01-01T00:00:00.000+00:00",
  });
  expect(await page()).toMatch(/operational/i);
  clock.advance(5 * MINUTE);
  expect((await json()).body).toMatchObject({ status: "operational" });
  await beat("a", a);
  clock.advance(1);
  expect((await json()).body).toMatchObject({
    status: "degraded",
    fleet: { instances_online: 1, instances_total: 2 },
  });
});

test("neither degraded document says the word that a monitor looks for, also with incidents and odd names", async () => {
  const { fleet, json, page } = stage();
  await fleet.register("Not-Operational-7");
  await fleet.open("Slow answers <script>alert(1)</script>", "We look into it.\nMore soon.");
  for (const said of ["All Operational again", "OPERATIONAL"]) {
    await expect(fleet.open(said, "")).rejects.toThrow("all-clear");
    await expect(fleet.open("x", said)).rejects.toThrow("all-clear");
  }
  const { text, body } = await json();
  const html = await page();
  expect(text).not.toMatch(/operational/i);
  expect(html).not.toMatch(/operational/i);
  expect(html).not.toContain("<script");
  expect(html).toContain("&lt;script&gt;");
  expect(html).toContain("prefers-color-scheme:dark");
  expect(body["incidents"]).toEqual([
    {
      id: expect.any(String),
      title: expect.stringContaining("Slow answers"),
      description: expect.any(String),
      status: "open",
      started_at: expect.any(String),
    },
  ]);
});

test("a heartbeat needs the instance's own token", async () => {
  const { fleet, beat } = stage();
  const a = await fleet.register("a");
  const b = await fleet.register("b");
  expect([await beat("a", b), await beat("a", ""), await beat("c", a), await beat("", "")]).toEqual([
    401, 401, 401, 401,
  ]);
  expect(await beat("a", a, { "content-length": "5000" })).toBe(413);
  expect((await fleet.instances()).every(({ lastSeenAt }) => lastSeenAt === undefined)).toBe(true);
  await expect(fleet.register("a")).rejects.toThrow("registered already");
  await expect(fleet.register("no spaces")).rejects.toThrow("no name");
});

test("gaps are logged for staff, and reach the public only when one of them is promoted", async () => {
  const { clock, fleet, beat, json } = stage();
  const token = await fleet.register("a");
  await beat("a", token);
  const from = clock.now();
  clock.advance(20 * MINUTE);
  expect(await fleet.gaps()).toEqual([{ id: `a-${from}`, instance: "a", from }]);
  await beat("a", token);
  expect(await fleet.gaps()).toEqual([{ id: `a-${from}`, instance: "a", from, to: clock.now() }]);
  expect((await json()).body["incidents"]).toEqual([]);
  const { id } = await fleet.promote(`a-${from}`, "An outage", "Power was lost.");
  expect((await json()).body["incidents"]).toMatchObject([
    { id, title: "An outage", started_at: "2026-01-01T00:00:00.000+00:00" },
  ]);
  await fleet.resolve(id);
  expect((await json()).body["incidents"]).toMatchObject([{ id, status: "resolved" }]);
  clock.advance(8 * 24 * 60 * MINUTE);
  expect((await json()).body["incidents"]).toEqual([]);
});

describe("the reporter", () => {
  test("tells the panel every minute, and says once that it cannot", async () => {
    const clock = handClock();
    const reported: string[] = [];
    let failing = false;
    let sent = 0;
    const reporter = new HeartbeatSender({
      clock,
      report: (error) => reported.push(error.message),
      send() {
        sent += 1;
        return failing ? Promise.reject(new Error("away")) : Promise.resolve();
      },
    });
    reporter.start();
    for (let minute = 0; minute < 6; minute += 1) {
      await reporter.idle();
      failing = minute >= 2 && minute < 4;
      clock.advance(MINUTE);
    }
    await reporter[Symbol.asyncDispose]();
    expect(sent).toBe(7);
    expect(reported).toEqual(["away"]);
    clock.advance(10 * MINUTE);
    expect(sent).toBe(7);
  });
});
