import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { sendsFiles } from "../../../src/chat/names.ts";
import { DEFAULT_POLICY, type Models } from "../../../src/core/index.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { scratch } from "../../providers/tools/scratch.ts";
import { type ChatProcess, startChat } from "./chat-process.ts";
import { echoModel } from "./echo-model.ts";
import { type FakeFile, type FakePlatform, type ProvedPlatform, quick } from "./fake-platform.ts";
import { fileTools } from "./file-tools.ts";
import { proveFileKill } from "./prove-file-kill.ts";

const REPORT: FakeFile = {
  name: "../r\u00e9port 1.csv",
  mediaType: "text/csv",
  bytes: Buffer.from("a,b\n1,\u0000\u00ff\n", "latin1"),
};
/** What the agent sends. */
const CHART = { name: "chart 1.csv", bytes: Buffer.from("a;\u00fc\n1;\u0000\n") };

/** Files that go both ways, as far as the platform carries them. */
export function proveFiles(proved: ProvedPlatform): void {
  const { platform } = proved;
  test(`${platform.title}: the names say whether the agent can send files there, as the limits do`, () => {
    expect(sendsFiles(platform.name)).toBe(platform.limits.fileOut > 0);
  });
  if (platform.limits.fileIn > 0) proveIn(proved);
  if (platform.limits.fileOut > 0) {
    proveOut(proved);
    proveFileKill(proved);
  } else proveNoneOut(proved);
}

/** A connector with the tools for files, in a folder, or without any. */
async function chatOn(
  { platform }: ProvedPlatform,
  fake: FakePlatform,
  { models, workspace }: { readonly models: Models; readonly workspace?: string },
): Promise<ChatProcess> {
  const policy = { ...DEFAULT_POLICY, chatToolsets: { [platform.name]: ["files"] } };
  const chat = await startChat({
    platform: quick(platform),
    account: fake.account,
    models,
    ...(workspace !== undefined && { settings: { workspace }, host: { toolsets: fileTools(), policy } }),
  });
  fake.postTo?.((request) => chat.connector.webhook(request));
  await fake.listened?.();
  return chat;
}

function proveIn(proved: ProvedPlatform): void {
  const { platform, start } = proved;
  const send = (fake: FakePlatform, text: string): string => {
    if (fake.sayWithFile === undefined) throw new Error(`The fake of ${platform.title} sends no files.`);
    return fake.sayWithFile(3, text, REPORT);
  };

  test(`${platform.title}: a file lies in the workspace as it came, and the model is told where`, async () => {
    await using folder = await scratch();
    await using fake = await start();
    const models = echoModel();
    await using chat = await chatOn(proved, fake, { models, workspace: folder.path });
    const place = send(fake, "look at this");
    await fake.history.until(() => fake.history.said(place).some((text) => text.includes("for you")));
    const [name = "", ...others] = await readdir(folder.at("incoming"));
    expect(others).toEqual([]);
    expect(name).toMatch(/^[0-9a-f]{10}-r\u00e9port_1\.csv$/);
    expect(await readFile(folder.at("incoming", name))).toEqual(REPORT.bytes);
    expect(models.seen[0]?.join()).toContain(fake.history.messages[0]?.text);
    expect(models.seen[0]?.join()).toContain(`(Files of this message: incoming/${name} (`);
    expect(models.seen[0]?.join()).toContain(`, ${REPORT.bytes.length} bytes).)`);
    expect(chat.reported).toEqual([]);
  });

  test(`${platform.title}: a file that has no place is refused in words, and the text is answered`, async () => {
    await using fake = await start();
    await using chat = await chatOn(proved, fake, { models: echoModel() });
    const place = send(fake, "words");
    const answer = fake.history.messages[0]?.text === "" ? "" : "answer-words";
    await fake.history.until(() => fake.history.said(place).some((text) => text.includes(answer)));
    const said = fake.history.said(place).join("\n");
    expect(said).toContain("was not taken: only pictures are read here");
    expect(said).toContain(`platforms.${platform.name}.extra.workspace`);
    expect(chat.reported).toEqual([]);
  });
}

function proveOut(proved: ProvedPlatform): void {
  const { platform, start } = proved;
  test(`${platform.title}: a file of the agent comes as it was, between what was said before it and after it`, async () => {
    await using folder = await scratch();
    await folder.write({ [CHART.name]: CHART.bytes });
    await using fake = await start();
    const models = scriptedModel(
      [say("Here it comes."), callTool("send_file", { path: CHART.name, caption: "The **chart**" })],
      [say("That was it.")],
    );
    await using chat = await chatOn(proved, fake, { models, workspace: folder.path });
    const place = fake.say(4, "the chart, please");
    await fake.history.until(() => fake.history.said(place).some((text) => text.includes("That was it.")));
    expect(fake.history.received).toEqual([CHART]);
    const all = fake.history.said(place).join("\n");
    expect(all).toMatch(/Here it comes\.[^]*chart[^]*That was it\.$/);
    expect(fake.history.messages.filter(({ files }) => files.length > 0)).toHaveLength(1);
    expect(chat.reported).toEqual([]);
  });
}

function proveNoneOut(proved: ProvedPlatform): void {
  const { platform, start } = proved;
  test(`${platform.title}: the model is offered no way to send files`, async () => {
    await using folder = await scratch();
    await using fake = await start();
    const models = scriptedModel([callTool("send_file", { path: "a.txt" })], [say("I cannot.")]);
    await using chat = await chatOn(proved, fake, { models, workspace: folder.path });
    const place = fake.say(4, "the chart, please");
    await fake.history.until(() => fake.history.said(place).some((text) => text.includes("I cannot.")));
    expect(models.requests.flatMap(({ tools }) => tools.map(({ name }) => name))).not.toContain("send_file");
    expect(JSON.stringify(models.requests.at(-1))).toContain("There is no tool named send_file here");
    expect(chat.reported).toEqual([]);
  });
}
