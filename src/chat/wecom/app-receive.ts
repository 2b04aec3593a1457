import type { Incoming, IncomingFile } from "../port/incoming.ts";
import { readXml } from "./xml.ts";

/**
 * Reads a message to a self-built app, which only people write to directly, or a button that somebody pressed:
 * https://developer.work.weixin.qq.com/document/path/90239. Nothing of what cannot be read.
 */
export function readAppMessage(content: string): Incoming | undefined {
  const read = readXml(content);
  const of = (name: string): string => read.get(name) ?? "";
  const [id, type, messageId] = [of("FromUserName"), of("MsgType"), of("MsgId")];
  if (id === "") return undefined;
  const place = { kind: "direct", chatId: id } as const;
  const from = { id, name: id };
  if (type === "event") {
    const [value, task] = [of("EventKey"), of("TaskId")];
    if (of("Event") !== "template_card_event" || value === "") return undefined;
    // An event has no id of its own.
    const eventId = `click:${id}:${of("CreateTime")}:${task}:${value}`;
    return { type: "click", eventId, place, from, messageId: task, value };
  }
  if (messageId === "") return undefined;
  const base = { type: "message", eventId: messageId, messageId, place, from, addressed: true } as const;
  if (type === "location")
    return {
      ...base,
      text: `Location: ${of("Location_X")}, ${of("Location_Y")} ${of("Label")}`.trim(),
      files: [],
    };
  const text = type === "link" ? `${of("Title")} ${of("Url")}` : of("Content");
  return { ...base, text: text.trim(), files: filesOf(type, of("MediaId")) };
}

const MEDIA: Readonly<Record<string, readonly [name: string, mediaType: string]>> = {
  image: ["photo.png", "image/png"],
  voice: ["voice.amr", "audio/amr"],
  video: ["video.mp4", "video/mp4"],
};

function filesOf(type: string, ref: string): readonly IncomingFile[] {
  const [name, mediaType] = MEDIA[type] ?? [];
  return name === undefined || mediaType === undefined || ref === "" ? [] : [{ name, mediaType, ref }];
}
