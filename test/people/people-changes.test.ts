import { expect, test } from "vitest";
import { homePeople, type HomePeople } from "../../src/app/people/home-people.ts";
import { type ChangeNote, PeopleChanges } from "../../src/app/people/people-changes.ts";
import { RaisedBudgets } from "../../src/app/people/raised-budgets.ts";
import { Pairing } from "../../src/chat/index.ts";
import { DEFAULT_POLICY, type Host, systemClock, type ToolAnswer } from "../../src/core/index.ts";
import { Devices } from "../../src/member-app/index.ts";
import { memoryHome, type HomeStore } from "../../src/providers/store/index.ts";
import { startChat } from "../chat/kit/chat-process.ts";
import { platformNamed } from "../chat/kit/fake-platform.ts";
import { FakeTelegram } from "../chat/telegram/fake-telegram.ts";
import { askingTool } from "../kit/asking-tool.ts";
import { callTool, gate, say, scriptedModel, scriptedModelWith, used, wait } from "../kit/scripted-model.ts";
import { hostWith, toolsOf } from "../kit/test-host.ts";
import { KnowledgeStage } from "../providers/knowledge/knowledge-stage.ts";

const settings = { current: { blocks: {}, config: { timezone: "UTC" }, paths: {} } } as never;

function changesOn({ store, host, people }: { store: HomeStore; host: Host; people: HomePeople }) {
  const stage = new KnowledgeStage();
  const notes: ChangeNote[] = [];
  const changes = new PeopleChanges({
    host,
    records: store.records,
    people,
    knowledge: stage.knowledge,
    note: (entry) => Promise.resolve(void notes.push(entry)),
  });
  return { changes, notes, memory: stage.knowledge.memory, [Symbol.dispose]: () => stage[Symbol.dispose]() };
}

test("a message that a budget stopped is answered once it is raised, and a question is over for who has the identity later", async () => {
  await using fake = await FakeTelegram.start();
  // What is due in a moment is due for it.
  const store = memoryHome().open({ clock: { ...systemClock, now: () => Date.now() + 5000 } });
  const people = homePeople(store, settings, { clock: systemClock });
  const heard: ToolAnswer[] = [];
  const asks = askingTool({ kind: "clarify", question: "Which colour?", choices: ["red", "blue"] }, heard);
  const models = scriptedModel([callTool("ask"), used(10, 0)], [say("Thanks."), used(90, 0)]);
  await using chat = await startChat({
    platform: platformNamed("telegram"),
    account: fake.account,
    models,
    store,
    settings: { allow: ["roster"], busyMode: "queue" },
    host: {
      toolsets: toolsOf(asks),
      policy: { ...DEFAULT_POLICY, toolsets: { chat: ["test"] } },
      peopleBudgets: people.budgets,
    },
  });
  const { host } = chat;
  using operator = changesOn({ store, host, people });
  await using raised = new RaisedBudgets({ host, records: store.records, people });
  const { changes } = operator;
  const said = (words: string): Promise<unknown> =>
    fake.history.until(() => fake.history.said("7").some((text) => text.includes(words)));
  const anna = await changes.add({ name: "Anna", budget: { tokens: 100 } });
  await changes.link(anna.id, "telegram:7");
  fake.send({ chat: 7, user: 7, text: "paint it" });
  await said("Which colour?");
  await changes.unlink(anna.id, "telegram:7");
  const ben = await changes.add({ name: "Ben" });
  await changes.link(ben.id, "telegram:7");
  fake.press("blue", { chat: 7, user: 7, name: "Ben" });
  await fake.history.until(() => fake.unconfirmed === 0 && fake.calls.includes("answerCallbackQuery"));
  expect(heard).toEqual([]);
  await changes.unlink(ben.id, "telegram:7");
  await changes.link(anna.id, "telegram:7");
  fake.press("blue", { chat: 7, user: 7, name: "Anna" });
  await said("Thanks.");
  expect(heard).toEqual([{ outcome: "answered", text: "blue" }]);
  fake.send({ chat: 7, user: 7, text: "and the door" });
  await said("Anna has used 100 of the 100 tokens");
  expect((await people.roster.find(anna.id))?.lastSeenAt).toBeGreaterThan(0);
  // Too little: it waits on.
  await changes.change(anna.id, { budget: { tokens: 99 } });
  models.script([say("The door is blue, too.")]);
  await changes.change(anna.id, { budget: { tokens: 5000 } });
  await expect
    .poll(async () => {
      await raised.pollOnce();
      return fake.history.said("7").join();
    })
    .toContain("The door is blue");
  expect(operator.notes.map(({ action }) => action)).toContain("user.changed");
});

test("who is disabled is out at once: devices are signed out, and what runs or waits for them ends", async () => {
  const store = memoryHome().open();
  const people = homePeople(store, settings, { clock: systemClock });
  const held = gate();
  const model = scriptedModelWith({ otherwise: () => [say("ok")] }, [wait(held), say("never")]);
  await using host = await hostWith(model, { store, peopleBudgets: people.budgets });
  using operator = changesOn({ store, host, people });
  const { changes } = operator;
  const anna = await changes.add({ name: "Anna" });
  const devices = new Devices(store.records, systemClock);
  const token = await devices.create(anna.id, { address: "", browser: "" });
  const running = await host.of(anna.id).begin({}, { text: "run" });
  const queued = running.session.submit({ text: "wait" });
  await held.reached;
  const end = running.turn.result;
  await queued.accepted;
  await changes.change(anna.id, { disabled: true });
  expect((await end).outcome).toBe("cancelled");
  expect(await devices.find(token)).toBeUndefined();
  expect(model.requests).toHaveLength(1);
  expect((await queued.result).outcome).toBe("cancelled");
  await changes.change(anna.id, { disabled: false });
  const again = await devices.create(anna.id, { address: "", browser: "" });
  await changes.endSessions(anna.id);
  expect(await devices.find(again)).toBeUndefined();
  expect(operator.notes.at(-1)).toMatchObject({ action: "user.sessions-ended", subject: anna.id });
  await store[Symbol.asyncDispose]();
});

test("the notes of a chat become those of the user to whom it is linked, none lost and none twice", async () => {
  const store = memoryHome().open();
  const people = homePeople(store, settings, { clock: systemClock });
  await using host = await hostWith(scriptedModel(), { store });
  using operator = changesOn({ store, host, people });
  const { changes, memory, notes } = operator;
  const signal = new AbortController().signal;
  const add = (content: string, scope: string): Promise<unknown> =>
    memory.change({ action: "add", content }, { target: "memory", scope, signal });
  const entries = async (scope: string): Promise<readonly string[]> =>
    (await memory.file("memory", scope)).entries;
  const anna = await changes.add({ name: "Anna" });
  const [own, chat] = [`user:${anna.id}`, "chat:telegram:user:7"];
  await add("likes tea", own);
  await add("likes tea", chat);
  await add("has a dog", chat);
  const long = "x".repeat(1900);
  await add(long, own);
  await add("y".repeat(1500), chat);
  const pairing = new Pairing(store.records, systemClock);
  const offered = await pairing.offer("telegram", { id: "7", name: "Anna" });
  const ben = await changes.add({ name: "Ben" });
  await changes.link(ben.id, "telegram:9");
  const taken = await pairing.offer("telegram", { id: "9", name: "Ben" });
  // An identity of somebody else's lets nobody in.
  await expect(changes.letIn(pairing, taken?.code ?? "", anna.id)).rejects.toMatchObject({
    code: "conflict",
  });
  expect((await pairing.open()).map(({ code }) => code)).toContain(taken?.code);
  await changes.letIn(pairing, offered?.code ?? "", anna.id);
  expect(await entries(own)).toEqual(["likes tea", long, "has a dog"]);
  // There was no room for it: it stays where it was.
  expect(await entries(chat)).toEqual(["y".repeat(1500)]);
  expect(notes.at(-1)).toEqual({
    action: "user.notes-joined",
    subject: anna.id,
    after: { identity: "telegram:7", joined: 2, left: 1 },
  });
  await store[Symbol.asyncDispose]();
});
