import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import type { ModelServer } from "../../kit/model-server/index.ts";
import { rpcCommand } from "../../kit/rpc-command.ts";
import type { ChatHistory, SeenMessage } from "../kit/chat-history.ts";
import { configureChats } from "../kit/configured-chats.ts";
import { writingModel } from "../kit/writing-model.ts";
import { FakeSlack } from "../slack/fake-slack.ts";
import { FakeTelegram } from "../telegram/fake-telegram.ts";

/** A home with Telegram and Slack, where the approvals of all chats are shown in a channel of Slack. */
function configured(
  stage: CommandStage,
  { telegram, slack, model }: { telegram: FakeTelegram; slack: FakeSlack; model: ModelServer },
): void {
  const tools = { toolsets: ["files"], workspace: stage.workspace };
  configureChats(stage, model, {
    fakes: {
      telegram: { fake: telegram, extra: { ...tools, allow: [42, 43], approvers: [1] } },
      slack: { fake: slack, extra: { ...tools, approvers: ["U1"], approvals: "C9" } },
    },
    more: { approvals: { mode: "manual" } },
  });
}

const cards = ({ history }: { readonly history: ChatHistory }): readonly SeenMessage[] =>
  history.messages.filter(({ by, text }) => by === "bot" && text.includes("May I do this?"));

test("a card outlives the death of its process: it is there once, is answered after it, and what was decided meanwhile shows", async () => {
  await using stage = new CommandStage();
  let posts = 0;
  await using telegram = await FakeTelegram.start();
  await using slack = await FakeSlack.start({
    onRequest(method, when) {
      if (method === "chat.postMessage" && when === "before") posts += 1;
      // It dies while its second card is being posted: nobody tells it that it is there.
      if (posts === 2) first.child.kill("SIGKILL");
    },
  });
  await using model = await writingModel();
  configured(stage, { telegram, slack, model });
  const first = stage.start(["gateway"]);
  telegram.send({ chat: 42, user: 42, text: "write one.txt" });
  telegram.send({ chat: 43, user: 43, text: "write two.txt" });
  await first.end;
  const ask = rpcCommand(stage);
  const session_id = "telegram:43:1";
  expect(await ask("session.resume", { session_id })).toHaveProperty("result");
  expect(await ask("approval.respond", { session_id, choice: "deny" })).toHaveProperty("result");

  const second = stage.start(["gateway"]);
  const says = (words: string): readonly SeenMessage[] =>
    cards(slack).filter(({ text }) => text.includes(words));
  await slack.history.until(() => says("— Denied, from another window").length === 1);
  slack.press("Allow once", 1);
  await slack.history.until(() => says("— Allowed once, by ann").length === 1);
  for (const place of ["42", "43"])
    await telegram.history.until(() =>
      telegram.history.said(place).some((text) => text.includes("It says:")),
    );
  expect(cards(slack)).toHaveLength(2);
  expect(cards(slack).flatMap(({ buttons }) => buttons)).toEqual([]);
  expect(["one.txt", "two.txt"].map((name) => existsSync(join(stage.workspace, name)))).toEqual([
    true,
    false,
  ]);
  second.child.kill("SIGTERM");
  expect((await second.end).code).toBe(0);
});
