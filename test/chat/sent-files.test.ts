import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../src/chat/index.ts";
import { DEFAULT_POLICY } from "../../src/core/index.ts";
import { callTool, gate, say, type ScriptedModel, scriptedModel, wait } from "../kit/scripted-model.ts";
import { smallPng } from "../kit/small-png.ts";
import { untilTrue } from "../kit/test-host.ts";
import { type Scratch, scratch } from "../providers/tools/scratch.ts";
import { type ChatProcessOptions, startChat } from "./kit/chat-process.ts";
import { quick } from "./kit/fake-platform.ts";
import { fileTools } from "./kit/file-tools.ts";
import { FakeTelegram } from "./telegram/fake-telegram.ts";

const policy = {
  ...DEFAULT_POLICY,
  chatToolsets: { telegram: ["files"] },
  chatApprovers: ["telegram:1"],
};

const start = (
  fake: FakeTelegram,
  { models, folder, ...options }: Partial<ChatProcessOptions> & { models: ScriptedModel; folder: Scratch },
) => {
  const [platform] = CHAT_PLATFORMS.filter(({ name }) => name === "telegram").map(quick);
  if (platform === undefined) throw new Error("There is no Telegram.");
  return startChat({
    platform,
    account: fake.account,
    models,
    settings: { workspace: folder.path, approvers: ["1"] },
    host: { toolsets: fileTools(), policy },
    ...options,
  });
};

const sendFile = (path: string, caption?: string) =>
  callTool("send_file", { path, ...(caption && { caption }) });
const said = (fake: FakeTelegram): readonly string[] => fake.history.said("42");

test("files stand between the texts around them, each message once, also when nothing is said between", async () => {
  await using fake = await FakeTelegram.start();
  await using folder = await scratch();
  await folder.write({ "1.txt": "one", "2.txt": "two" });
  const models = scriptedModel(
    [sendFile("1.txt", "<First> & *bold*")],
    [sendFile("2.txt")],
    [say("Two "), say("files.")],
  );
  await using chat = await start(fake, { models, folder });
  fake.send({ text: "both" });
  await fake.history.until(() => said(fake).includes("Two files."));
  expect(said(fake)).toEqual(["<First> & bold", "", "Two files."]);
  expect(fake.history.received.map(({ name, bytes }) => [name, String(bytes)])).toEqual([
    ["1.txt", "one"],
    ["2.txt", "two"],
  ]);
  const [entry] = await chat.inbox.list({ limit: 1 });
  expect(entry?.parts?.map(({ file, section }) => [file, section])).toEqual([
    [true, undefined],
    [true, undefined],
    [undefined, 2],
  ]);
  expect(chat.reported).toEqual([]);
});

test("a file that the platform does not take is said to be missing, and the answer goes on", async () => {
  await using fake = await FakeTelegram.start();
  await using folder = await scratch();
  await folder.write({ "a.txt": "a" });
  fake.refusedFiles = 1;
  const half = gate();
  const models = scriptedModel([say("Look:"), sendFile("a.txt")], [say("There"), wait(half), say(".")]);
  await using chat = await start(fake, { models, folder });
  fake.send({ text: "send it" });
  // Also while the answer grows.
  const missing = /^\(The file a\.txt could not be sent: telegram: .+\)\n\nThere/;
  await fake.history.until(() => said(fake).some((text) => text.endsWith("There")));
  expect(said(fake)[1]).toMatch(missing);
  half.open();
  await fake.history.until(() => said(fake).some((text) => text.endsWith("There.")));
  expect(said(fake)[0]).toBe("Look:");
  expect(said(fake)[1]).toMatch(missing);
  expect(fake.history.received).toEqual([]);
  expect(chat.reported).toEqual([]);
});

test("a file that cannot be sent for a while comes later, as it was", async () => {
  await using fake = await FakeTelegram.start();
  await using folder = await scratch();
  await folder.write({ "a.txt": "as promised" });
  const models = scriptedModel([say("Look:"), sendFile("a.txt", "Later")], [say("There.")]);
  await using chat = await start(fake, { models, folder });
  // Each of its four tries fails, and so does the outbox's first.
  fake.failedFiles = 5;
  fake.send({ text: "send it" });
  await untilTrue(() => fake.failedFiles <= 1);
  await folder.write({ "a.txt": "changed" });
  await fake.history.until(() => said(fake).includes("There."));
  expect(fake.history.received.map(({ name, bytes }) => [name, String(bytes)])).toEqual([
    ["a.txt", "as promised"],
  ]);
  expect(said(fake)).toEqual(["Look:", expect.stringContaining("Later"), "There."]);
  expect(chat.reported).toEqual([]);
});

test("a picture that is none for Telegram goes out as a file", async () => {
  await using fake = await FakeTelegram.start();
  await using folder = await scratch();
  await folder.write({ "a.png": smallPng() });
  fake.refusesPhotos = true;
  const models = scriptedModel([sendFile("a.png", "Wide")], [say("There.")]);
  await using chat = await start(fake, { models, folder });
  fake.send({ text: "send it" });
  await fake.history.until(() => said(fake).includes("There."));
  expect(fake.history.messages.find(({ text }) => text === "Wide")?.files).toEqual(["document"]);
  expect(fake.history.received.map(({ name }) => name)).toEqual(["a.png"]);
  expect(chat.reported).toEqual([]);
});

test("a secret is sent only when an approver lets it", async () => {
  await using fake = await FakeTelegram.start();
  await using folder = await scratch();
  await folder.write({ ".env": "KEY=1" });
  const models = scriptedModel([sendFile(".env")], [say("No?")], [sendFile(".env")], [say("Yes.")]);
  await using chat = await start(fake, { models, folder });
  const answerWith = async (label: string, count: number): Promise<void> => {
    await fake.history.until(
      () => fake.history.messages.filter(({ buttons }) => buttons.length > 0).length === count,
    );
    fake.press(label, { user: 1 });
  };
  fake.send({ text: "the keys" });
  await answerWith("Deny", 1);
  await fake.history.until(() => said(fake).includes("No?"));
  expect(fake.history.received).toEqual([]);
  fake.send({ text: "again" });
  await answerWith("Allow once", 1);
  await fake.history.until(() => said(fake).includes("Yes."));
  expect(fake.history.received.map(({ name }) => name)).toEqual([".env"]);
  expect(await readdir(folder.path)).toEqual([".env"]);
  expect(chat.reported).toEqual([]);
});
