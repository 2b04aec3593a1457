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

test("a video note and a sticker that stands still are files; one that moves has no words", () => {
  const direct = { chat: DIRECT };
  const fileOf = (message: object) =>
    read({ ...message, ...direct }).flatMap((event) => ("files" in event ? event.files : []));
  expect(fileOf({ video_note: { file_id: "v", file_size: 9, length: 240, duration: 3 } })).toEqual([
    { name: "video-note.mp4", mediaType: "video/mp4", ref: "v", size: 9 },
  ]);
  const sticker = { file_id: "s", is_animated: false, is_video: false };
  expect(fileOf({ sticker })).toEqual([{ name: "sticker.webp", mediaType: "image/webp", ref: "s" }]);
  for (const moving of [{ is_animated: true }, { is_video: true }])
    expect(read({ sticker: { ...sticker, ...moving }, ...direct })).toMatchObject([{ text: "", files: [] }]);
});

test("places and contacts are words", () => {
  const location = { latitude: 1.5, longitude: 2.5 };
  const venue = { location, title: "Home", address: "Main St. 1" };
  const contact = { phone_number: "+1 555", first_name: "Bo", last_name: "Li" };
  expect(read({ location })).toMatchObject([{ text: "Location: 1.5, 2.5", addressed: false }]);
  expect(read({ location, venue })).toMatchObject([{ text: "Location: 1.5, 2.5 (Home, Main St. 1)" }]);
  expect(read({ contact })).toMatchObject([{ text: "Contact: Bo Li +1 555" }]);
});

test("what cannot be read is told where it is for the bot, and passed over elsewhere", () => {
  const toBot = { reply_to_message: { from: { id: BOT.id, is_bot: true } } };
  for (const kind of ["poll", "dice", "game", "story", "checklist", "paid_media"]) {
    const some = { [kind]: { id: "1" } };
    expect(read({ ...some, chat: DIRECT })).toMatchObject([{ text: "", files: [], addressed: true }]);
    expect(read({ ...some, ...toBot })).toMatchObject([{ text: "", addressed: true }]);
    expect(read(some)).toEqual([]);
  }
  // Nobody has said anything.
  expect(read({ chat: DIRECT, new_chat_title: "Us" })).toEqual([]);
});
