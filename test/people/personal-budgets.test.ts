import { expect, test } from "vitest";
import type { HomeStore } from "../../src/providers/store/index.ts";
import type { Host } from "../../src/core/index.ts";
import { homePeople } from "../../src/app/people/home-people.ts";
import { memoryHome } from "../../src/providers/store/index.ts";
import { delegateTool } from "../../src/providers/tools/delegate.ts";
import { type HandClock, handClock } from "../kit/clock.ts";
import { callTool, say, type ScriptedModelOptions, scriptedModelWith, used } from "../kit/scripted-model.ts";
import { hostWith } from "../kit/test-host.ts";

/** A process of a home whose owner named a zone, and perhaps themselves. */
async function processOf(
  store: HomeStore,
  clock: HandClock,
  settings: { owner?: string; zone?: string } = {},
) {
  const blocks = settings.owner === undefined ? {} : { people: { owner: settings.owner } };
  const current = { blocks, config: { timezone: settings.zone ?? "Europe/Berlin" }, paths: {} };
  // Of the settings only these are read.
  const people = homePeople(store, { current } as never, { clock });
  const looks = { count: 0 };
  const find = people.roster.find.bind(people.roster);
  people.roster.find = (id) => ((looks.count += 1), find(id));
  const delegate = delegateTool({ stopProcesses: () => Promise.resolve(0) });
  const toolsets = [{ name: "delegate", label: "", description: "", tools: [delegate], configured: true }];
  const otherwise: NonNullable<ScriptedModelOptions["otherwise"]> = ({ messages }) =>
    JSON.stringify(messages.at(-1)).includes("ask another")
      ? [callTool("delegate", { goal: "look" }), used(50, 0)]
      : [say("Yes."), used(40, 10)];
  const model = scriptedModelWith({ otherwise });
  const priced = { ...model, price: () => 0.5 };
  const host = await hostWith(priced, { store, clock, toolsets, peopleBudgets: people.budgets });
  return { ...people, host, looks };
}

const ask = async (host: Host, user: string | undefined, more: object = {}) => {
  const { session, turn } = await host.begin(user === undefined ? {} : { user }, { text: "May I?", ...more });
  return { session, ...(await turn.result) };
};

const TELEGRAM = { from: { surface: "chat", client: "telegram:42" } } as const;

test("a person's budget holds for all that they do in a month, and a turn that it stopped goes on when it is raised", async () => {
  const clock = handClock(Date.parse("2026-10-31T22:59:59Z"));
  const home = memoryHome();
  await using store = home.open({ clock });
  await using otherStore = home.open({ clock });
  const one = await processOf(store, clock);
  await using host = one.host;
  const other = await processOf(otherStore, clock);
  await using otherHost = other.host;
  const { id } = await one.roster.add({ name: "Anna", budget: { tokens: 180 } });
  const anna = await one.roster.link(id, "telegram:42");
  // It is October in Berlin for another second.
  expect((await ask(host, anna.id, TELEGRAM)).outcome).toBe("completed");
  clock.advance(1000);
  expect((await one.budgets.spentBy([anna])).get(anna.id)).toEqual({ tokens: 0, cost: 0 });
  // In a channel, whose session is nobody's; through the API; and by a subagent in another process.
  await ask(host, undefined, { ...TELEGRAM, person: `user:${anna.id}` });
  await ask(host, undefined, { from: { surface: "api" }, person: `user:${anna.id}` });
  const last = await otherHost.begin({ user: anna.id }, { text: "ask another", ...TELEGRAM });
  const stopped = await last.turn.result;
  expect(stopped).toMatchObject({ outcome: "failed", error: { code: "budget_exceeded" } });
  expect(stopped.error?.message).toMatch(/Anna has used 200 of the 180 tokens of November 2026/);
  expect(stopped.error?.message).toMatch(
    /agent users edit u_\w{12} --budget-tokens 360`.*2026-12-01 at 00:00 \(Europe\/Berlin\)/,
  );
  expect(last.session.state.parked).toBeDefined();
  const refused = await ask(host, anna.id, TELEGRAM);
  expect(refused.error?.code).toBe("budget_exceeded");
  // In a channel the others go on.
  const channel = await host.open({ platform: "chat", source: "telegram" });
  const hers = channel.submit({ text: "Me first.", ...TELEGRAM, person: `user:${anna.id}` });
  const his = channel.submit({ text: "Then me.", from: { surface: "chat", client: "telegram:43" } });
  expect([(await hers.result).error?.code, (await his.result).outcome]).toEqual([
    "budget_exceeded",
    "completed",
  ]);
  // Nobody gets a new budget by deleting what they said.
  await otherHost.of(anna.id).remove(last.session.id);
  expect(await host.of(anna.id).list({ limit: 9, offset: 0, includeHidden: true })).toHaveLength(2);
  expect((await one.budgets.spentBy([anna])).get(anna.id)).toMatchObject({ tokens: 200 });
  await other.roster.change(anna.id, { budget: { tokens: 1000, cost: 99 } });
  clock.advance(1000);
  expect((await refused.session.submit({ text: "Go on.", ...TELEGRAM }).result).outcome).toBe("completed");
  await other.roster.change(anna.id, { budget: { cost: 2.5 } });
  clock.advance(1000);
  expect((await ask(host, anna.id, TELEGRAM)).error?.message).toMatch(/\$2\.50 of the \$2\.50/);
  // The month is over at midnight in Berlin, which is on winter time now.
  clock.advance(Date.parse("2026-11-30T22:59:59Z") - clock.now());
  expect((await ask(host, anna.id, TELEGRAM)).outcome).toBe("failed");
  clock.advance(1000);
  expect((await ask(host, anna.id, TELEGRAM)).outcome).toBe("completed");
});

test("nobody waits for budgets where nobody has one, and the owner's is the one at the terminal", async () => {
  const clock = handClock(Date.parse("2026-03-28T12:00:00Z"));
  await using store = memoryHome().open({ clock });
  const nobodys = await processOf(store, clock);
  await using host = nobodys.host;
  const eva = await nobodys.roster.add({ name: "Eva", mobile: "+49 151 23456789" });
  for (const surface of ["cli", "api", "chat", "job"]) await ask(host, undefined, { from: { surface } });
  expect(nobodys.budgets.admit({ person: "owner" })).toBeUndefined();
  expect(nobodys.looks.count).toBe(0);
  for (let at = 0; at < 3; at += 1) await ask(host, eva.id, { person: `user:${eva.id}` });
  expect(nobodys.looks.count).toBe(1);
  const owners = await processOf(store, clock, { owner: "+49 (0)151 23456789", zone: "America/New_York" });
  await using own = owners.host;
  expect(owners.scopeOf(eva)).toBeUndefined();
  const byId = await processOf(store, clock, { owner: "u_abcdefabcdef" });
  await using other = byId.host;
  expect([
    byId.scopeOf({ id: "u_abcdefabcdef" }),
    byId.scopeOf({ id: "u_012345678901" }),
    other.running,
  ]).toEqual([undefined, "user:u_012345678901", 0]);
  expect(nobodys.scopeOf(eva)).toBe(`user:${eva.id}`);
  await owners.roster.change(eva.id, { budget: { tokens: 250 } });
  // What was used at the terminal counts, and is stopped there.
  expect((await ask(own, undefined, { from: { surface: "tui" } })).outcome).toBe("completed");
  expect((await ask(own, undefined, { from: { surface: "cli" } })).error?.message).toContain(
    "Eva has used 250",
  );
  expect((await ask(own, undefined, { from: { surface: "webhook" } })).outcome).toBe("completed");
  // Summer time began in between; the month ends at midnight in New York.
  expect(owners.budgets.month).toMatchObject({
    since: Date.parse("2026-03-01T05:00:00Z"),
    until: Date.parse("2026-04-01T04:00:00Z"),
  });
});
