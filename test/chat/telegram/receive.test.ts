import { expect, test } from "vitest";
import { readUpdate } from "../../../src/chat/telegram/receive.ts";

const BOT = { id: 999, username: "Agent_Bot" };
const ANN = { id: 42, first_name: "Ann" };
const GROUP = { id: -7, type: "supergroup" };
const DIRECT = { id: 42, type: "private" };

/** An update with a message of Ann's in a group. */
const said = (message: object, kind = "message") => ({
  update_id: 5,
  [kind]: { message_id: 1, from: ANN, chat: GROUP, date: 0, ...message },
});
const read = (message: object, kind?: string) => readUpdate(said(message, kind), BOT);
const command = (text: string) => ({
  text,
  entities: [{ type: "bot_command", offset: 0, length: text.split(" ")[0]?.length ?? 0 }],
});

test("a command loses the bot's own name, in whatever letters", () => {
  expect(read(command("/new@agent_BOT now"))).toMatchObject([{ text: "/new now", addressed: true }]);
  expect(read({ ...command("/status@Agent_Bot"), chat: DIRECT })).toMatchObject([{ text: "/status" }]);
});

test("a command for another bot is left to it, unless it mentions or answers this one", () => {
  const topic = { is_topic_message: true, message_thread_id: 5 };
  for (const text of ["/new@other_bot", "/new@agent_bot2", "/new@OTHER_bot all"])
    expect(read({ ...command(text), ...topic })).toEqual([]);
  expect(read({ caption: "/look@other_bot", document: { file_id: "d" }, ...topic })).toEqual([]);
  const text = "/new@other_bot said @agent_bot";
  const entities = [...command(text).entities, { type: "mention", offset: 20, length: 10 }];
  expect(read({ text, entities })).toMatchObject([{ text, addressed: true }]);
  const answer = { ...command("/new@other_bot"), reply_to_message: { from: { id: BOT.id, is_bot: true } } };
  expect(read(answer)).toMatchObject([{ text: "/new@other_bot", addressed: true }]);
});

test("a command for another bot in a direct chat has no words that could be acted upon", () => {
  expect(read({ ...command("/new@other_bot"), chat: DIRECT })).toMatchObject([
    { type: "message", text: "", files: [], addressed: true },
  ]);
});

test("a message that is changed into a command for another bot is taken back", () => {
  expect(read(command("/new@other_bot"), "edited_message")).toMatchObject([
    { type: "deletion", messageId: "1", place: { chatId: "-7" } },
  ]);
  expect(read(command("/new@agent_bot"), "edited_message")).toMatchObject([{ type: "edit", text: "/new" }]);
});
