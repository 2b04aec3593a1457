import { mediaTypeOfName } from "../../shared/content/media-type.ts";
import { isJsonObject, readForeignObject } from "../../shared/json/json.ts";
import type { IncomingFile } from "../port/incoming.ts";
import type { FeishuMessage, FeishuMention } from "./event.ts";

/** The words of a message, and the files that are in it. */
export interface FeishuContent {
  readonly text: string;
  readonly files: readonly IncomingFile[];
}

type Json = Readonly<Record<string, unknown>>;

/** Reads the content of a message: https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content */
export function contentOf(message: FeishuMessage, botId: string): FeishuContent {
  const { message_type: type, mentions } = message;
  const content = readForeignObject(message.content);
  const readable = (text: string): string => withNames(text, mentions, botId);
  const file = (kind: "image" | "file", key: unknown, name: string): readonly IncomingFile[] =>
    typeof key === "string" ? [fileOf(message.message_id, { kind, key, name })] : [];
  switch (type) {
    case "text":
      return { text: readable(textIn(content, "text")), files: [] };
    case "post":
      return postOf(content, { readable, file });
    case "image":
      return { text: "", files: file("image", content["image_key"], "photo.png") };
    case "file":
    case "audio":
    case "media":
      return { text: "", files: file("file", content["file_key"], textIn(content, "file_name") || type) };
    case "location":
      return {
        text: `Location: ${textIn(content, "latitude")}, ${textIn(content, "longitude")} ${textIn(content, "name")}`.trim(),
        files: [],
      };
    default:
      // A sticker, a card, a name: it is answered with words.
      return { text: "", files: [] };
  }
}

/** Names in place of the marks for mentions; without the bot's own where the text begins with it. */
function withNames(text: string, mentions: readonly FeishuMention[], botId: string): string {
  const names = new Map(mentions.map(({ key, name }) => [key, name]));
  const own = new Set(mentions.filter(({ id }) => id?.open_id === botId).map(({ key }) => key));
  const head = /^\s*(@_user_\d+)\s*/.exec(text);
  const rest = head !== null && own.has(head[1] ?? "") ? text.slice(head[0].length) : text;
  return rest
    .replaceAll(/@_(?:user_\d+|all)\b/g, (key) => `@${names.get(key) ?? key.replace(/^@_/, "")}`)
    .trim();
}

interface PostReaders {
  readonly readable: (text: string) => string;
  readonly file: (kind: "image" | "file", key: unknown, name: string) => readonly IncomingFile[];
}

/** A text with formats: lines of pieces. */
function postOf(content: Json, { readable, file }: PostReaders): FeishuContent {
  const lines = (Array.isArray(content["content"]) ? (content["content"] as unknown[]) : []).map((line) =>
    (Array.isArray(line) ? (line as unknown[]) : []).filter(isJsonObject),
  );
  const files = lines.flat().flatMap((piece) => {
    if (piece["tag"] === "img") return file("image", piece["image_key"], "photo.png");
    return piece["tag"] === "media" ? file("file", piece["file_key"], "video") : [];
  });
  const words = lines.map((line) => line.map(pieceText).join(""));
  return { text: readable([textIn(content, "title"), ...words].join("\n").trim()), files };
}

function pieceText(piece: Json): string {
  const text = textIn(piece, "text");
  switch (piece["tag"]) {
    case "a":
      return text === textIn(piece, "href") ? text : `${text} (${textIn(piece, "href")})`;
    case "at":
      return textIn(piece, "user_id");
    case "code_block":
      return `\n\`\`\`${textIn(piece, "language").toLowerCase()}\n${text}\n\`\`\`\n`;
    case "emotion":
      return `:${textIn(piece, "emoji_type")}:`;
    default:
      return text;
  }
}

/** Feishu does not say what a picture is; pictures are read by their bytes. */
function fileOf(
  messageId: string,
  { kind, key, name }: { readonly kind: "image" | "file"; readonly key: string; readonly name: string },
): IncomingFile {
  const mediaType = kind === "image" ? "image/png" : mediaTypeOfName(name);
  return { name, mediaType, ref: JSON.stringify([messageId, key, kind]) };
}

const textIn = (content: Json, key: string): string => {
  const value = content[key];
  return typeof value === "string" ? value : "";
};
