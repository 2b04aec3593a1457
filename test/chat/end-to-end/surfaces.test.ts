import OpenAI from "openai";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";
import { TestTerminal } from "../../tui/terminal.ts";
import { configureChats } from "../kit/configured-chats.ts";
import { writingModel } from "../kit/writing-model.ts";
import { FakeSlack } from "../slack/fake-slack.ts";
import { FakeTelegram } from "../telegram/fake-telegram.ts";

const SESSION = "telegram:42:1";

test("a conversation begins in Telegram, is open in the terminal, goes on over the API, and is approved on Slack", async () => {
  await using stage = new CommandStage();
  await using telegram = await FakeTelegram.start();
  await using slack = await FakeSlack.start();
  await using model = await writingModel();
  const tools = { toolsets: ["files"], workspace: stage.workspace };
  configureChats(stage, model, {
    fakes: {
      telegram: { fake: telegram, extra: { ...tools, allow: [42] } },
      slack: { fake: slack, extra: { ...tools, approvers: ["U1"], approvals: "C9" } },
    },
    more: { approvals: { mode: "manual" } },
  });
  const { command, url } = await startGateway(stage);
  const answer = telegram.say(42, "the word is amber");
  await telegram.history.until(() => telegram.history.said(answer).length === 1);

  await using terminal = new TestTerminal(stage, ["--resume", SESSION]);
  await terminal.shows(/the word is amber[\s\S]*I heard: the word is amber/);

  const client = new OpenAI({
    baseURL: `${url}/v1`,
    apiKey: GATEWAY_KEY,
    maxRetries: 0,
    defaultHeaders: { "X-Agent-Session-Id": SESSION },
  });
  const completion = await client.chat.completions.create({
    model: "agent",
    messages: [{ role: "user", content: "the number is seven" }],
  });
  expect(completion.choices[0]?.message.content).toBe("I heard: the number is seven");
  await terminal.shows("I heard: the number is seven");

  const asked = fetch(`${url}/api/sessions/${SESSION}/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${GATEWAY_KEY}` },
    body: JSON.stringify({ message: "write two.txt" }),
  });
  await terminal.shows(/write two\.txt[\s\S]*Allow this\?/);
  await slack.history.until(() => slack.history.said("C9").length === 1);
  expect(slack.history.said("C9")[0]).toContain(`Asked from the HTTP API, in \`${SESSION}\`.`);
  slack.press("Allow once", 1);
  const { message } = (await (await asked).json()) as { message: { content: string } };
  expect(message.content).toMatch(/^It says: .*two\.txt/);
  await terminal.shows(/allowed once \(answered from a chat\)[\s\S]*It says:/);
  await slack.history.until(() => slack.history.said("C9")[0]?.includes("— Allowed once, by ann") === true);

  telegram.say(42, "which word?");
  await telegram.history.until(() => telegram.history.said(answer).length === 2);
  await terminal.shows("I heard: which word?");
  const { body } = model.requests.at(-1) ?? {};
  for (const each of [
    "the word is amber",
    "the number is seven",
    "write two.txt",
    message.content.slice("It says: ".length),
    "which word?",
  ])
    expect(JSON.stringify(body)).toContain(JSON.stringify(each).slice(1, -1));
  command.child.kill("SIGTERM");
  expect((await command.end).code).toBe(0);
});
