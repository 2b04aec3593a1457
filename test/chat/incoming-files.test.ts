import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../src/chat/index.ts";
import { DEFAULT_POLICY, type Toolset } from "../../src/core/index.ts";
import { memoryStore } from "../../src/providers/store/index.ts";
import { random } from "../kit/counts.ts";
import { say, scriptedModel } from "../kit/scripted-model.ts";
import { smallPng } from "../kit/small-png.ts";
import { scratch } from "../providers/tools/scratch.ts";
import { type ChatProcessOptions, startChat } from "./kit/chat-process.ts";
import { quick } from "./kit/fake-platform.ts";
import { hurriedClock } from "./kit/hurried-clock.ts";
import { FakeSlack } from "./slack/fake-slack.ts";

const FILES: Toolset = { name: "files", label: "Files", description: "Files", tools: [], configured: true };
const host = { toolsets: [FILES], policy: { ...DEFAULT_POLICY, chatToolsets: { slack: ["files"] } } };

const start = (
  fake: FakeSlack,
  options: Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">,
) => {
  const [platform] = CHAT_PLATFORMS.filter(({ name }) => name === "slack").map(quick);
  if (platform === undefined) throw new Error("There is no Slack.");
  return startChat({ platform, account: fake.account, host, ...options });
};

/** Slack's words for files that are there, except one. */
function share(fake: FakeSlack, files: Readonly<Record<string, string | Uint8Array | undefined>>) {
  return {
    subtype: "file_share",
    files: Object.entries(files).map(([id, bytes]) => {
      if (bytes !== undefined) fake.api.files.set(id, Buffer.from(bytes));
      const mimetype = id.endsWith("png") ? "image/png" : "text/plain";
      return { id, name: id.slice(1), mimetype, url_private_download: `${fake.url}/files/${id}` };
    }),
  };
}

test("of several files one that cannot be got is told to the sender, the others are kept, a picture is also shown", async () => {
  await using fake = await FakeSlack.start();
  await using folder = await scratch();
  const models = scriptedModel([say("Thanks.")]);
  await using chat = await start(fake, { models, settings: { workspace: folder.path } });
  const more = share(fake, { "1a.txt": "one", "2a.txt": "two", "3c.txt": undefined, "4d.png": smallPng() });
  fake.send({ text: "here", more });
  await fake.history.until(() => fake.history.said("D1").some((text) => text.endsWith("Thanks.")));
  expect(fake.history.said("D1")).toHaveLength(1);
  expect(fake.history.said("D1")[0]).toMatch(/^\(The file c\.txt was not taken: slack: .+\)\n\nThanks\.$/);
  const names = await readdir(folder.at("incoming"));
  expect(names.map((name) => name.replace(/^[0-9a-f]{10}-/, "")).toSorted()).toEqual([
    "2-a.txt",
    "a.txt",
    "d.png",
  ]);
  const parts = models.requests[0]?.messages.flatMap((each) => (each.role === "user" ? each.parts : []));
  expect(parts?.map(({ type }) => type)).toEqual(["text", "image"]);
  for (const name of names) expect(models.seen[0]?.join()).toContain(`incoming/${name} (`);
  expect(models.seen[0]?.join()).toContain("c.txt was not taken");
  expect(chat.reported).toEqual([]);
});

test("a message that is taken up again finds its file where it was, as the agent has changed it meanwhile", async () => {
  await using fake = await FakeSlack.start();
  await using folder = await scratch();
  const models = scriptedModel([say("I have it.")], [say("I still have it.")]);
  await using chat = await start(fake, { models, settings: { workspace: folder.path } });
  fake.send({ text: "here", more: share(fake, { "1a.txt": "one" }) });
  await fake.history.until(() => fake.history.said("D1").includes("I have it."));
  const [name = ""] = await readdir(folder.at("incoming"));
  await writeFile(folder.at("incoming", name), "changed");
  fake.api.files.clear();
  await expect.poll(async () => (await chat.inbox.list({ limit: 1 }))[0]?.status).toBe("answered");
  await chat.inbox.replay((await chat.inbox.list({ limit: 1 }))[0]?.id ?? "");
  await fake.history.until(() => fake.history.said("D1").includes("I still have it."));
  expect(await readFile(folder.at("incoming", name), "utf8")).toBe("changed");
  expect(await readdir(folder.at("incoming"))).toEqual([name]);
  expect(models.seen[1]?.join()).toContain(`incoming/${name} (text/plain, 7 bytes)`);
  expect(chat.reported).toEqual([]);
});

test("a link in the workspace leads no file out of it", async () => {
  await using fake = await FakeSlack.start();
  await using folder = await scratch();
  await using outside = await scratch();
  await symlink(outside.path, folder.at("incoming"));
  await using chat = await start(fake, {
    models: scriptedModel([say("Hm.")]),
    settings: { workspace: folder.path },
  });
  fake.send({ text: "here", more: share(fake, { "1a.txt": "one" }) });
  await fake.history.until(() => fake.history.said("D1").some((text) => text.endsWith("Hm.")));
  expect(fake.history.said("D1")[0]).toContain("a.txt was not taken");
  expect(await readdir(outside.path)).toEqual([]);
  expect(chat.reported).toEqual([]);
});

test("a conversation that is older than its workspace says that another one has it", async () => {
  await using fake = await FakeSlack.start();
  await using folder = await scratch();
  const store = memoryStore({ random: random(1), clock: hurriedClock });
  {
    await using first = await start(fake, { models: scriptedModel([say("Hello.")]), store });
    fake.send({ text: "hi" });
    await fake.history.until(() => fake.history.said("D1").includes("Hello."));
    expect(first.reported).toEqual([]);
  }
  await mkdir(folder.at("w"));
  const settings = { workspace: folder.at("w") };
  await using chat = await start(fake, { models: scriptedModel([say("Got it.")]), store, settings });
  fake.send({ text: "", more: share(fake, { "1a.txt": "one" }) });
  await fake.history.until(() => fake.history.said("D1").some((text) => text.includes("/new begins one")));
  fake.send({ text: "/new" });
  await fake.history.until(() => fake.history.said("D1").includes("A new conversation begins."));
  fake.send({ text: "", more: share(fake, { "2b.txt": "two" }) });
  await fake.history.until(() => fake.history.said("D1").includes("Got it."));
  expect(await readdir(folder.at("w", "incoming"))).toHaveLength(1);
  expect(chat.reported).toEqual([]);
});
