import { expect, test } from "vitest";
import { Pairing } from "../../../src/chat/index.ts";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { systemClock } from "../../../src/core/index.ts";
import { random } from "../../kit/counts.ts";
import { startChat } from "../kit/chat-process.ts";
import { echoModel } from "../kit/echo-model.ts";
import { platformNamed } from "../kit/fake-platform.ts";
import { FakeTelegram } from "../telegram/fake-telegram.ts";

const pairingOf = () => new Pairing(memoryStore({ random: random(1) }).records, systemClock);
const person = (number: number) => ({ id: String(number), name: `Person ${number}` });

test("a stranger who wrote before the process ran is told a code, although its budget begins empty", async () => {
  await using fake = await FakeTelegram.start();
  fake.say(7, "hello?");
  await using chat = await startChat({
    platform: platformNamed("telegram"),
    account: fake.account,
    models: echoModel(),
    settings: { allow: [] },
  });
  await fake.history.until(() => fake.history.said("7").some((text) => text.includes("agent pair ")));
  expect(chat.reported).toEqual([]);
});

test("of strangers who come side by side three are offered a code, each one", async () => {
  const pairing = pairingOf();
  const offered = await Promise.all([1, 2, 2, 3, 4, 5].map((each) => pairing.offer("a", person(each))));
  expect(new Set(offered.map((each) => each?.person.id))).toEqual(new Set(["1", "2", "3", undefined]));
  expect(await pairing.open("a")).toHaveLength(3);
});

test("a code that could not be told is offered again, and one that was told is not", async () => {
  const pairing = pairingOf();
  const first = await pairing.offer("a", person(1));
  expect(await pairing.offer("a", person(1))).toEqual(first);
  if (first !== undefined) await pairing.noteTold(first);
  expect(await pairing.offer("a", person(1))).toBeUndefined();
  expect((await pairing.approve(first?.code ?? "")).person).toEqual(person(1));
});
