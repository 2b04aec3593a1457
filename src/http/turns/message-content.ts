import { isJsonObject } from "../../shared/json/json.ts";
import { badRequest, type HttpError } from "../server/http-error.ts";

/** A part of a message of a request, checked. */
export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string; readonly detail?: string };

/**
 * Reads a message's content: text, or parts in the words of either API.
 *
 * @param param - where it stands in the request, for errors
 * @throws HttpError 400
 */
export function readMessageContent(content: unknown, param: string): readonly MessagePart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return textOf(content);
  if (Array.isArray(content)) return content.flatMap((part: unknown) => readPart(part, param));
  if (isJsonObject(content)) return readPart(content, param);
  return textOf(scalarText(content));
}

const textOf = (text: string): readonly MessagePart[] => (text === "" ? [] : [{ type: "text", text }]);

/** Whether there are no images in it. */
export const isTextOnly = (
  parts: readonly MessagePart[],
): parts is readonly Extract<MessagePart, { type: "text" }>[] => parts.every(({ type }) => type === "text");

/** Whether there is something in it that a model can answer. */
export const hasContent = (parts: readonly MessagePart[]): boolean =>
  parts.some((part) => part.type === "image" || part.text.trim() !== "");

function readPart(part: unknown, param: string): readonly MessagePart[] {
  if (typeof part === "string") return textOf(part);
  if (!isJsonObject(part)) return [];
  const type = typeof part["type"] === "string" ? part["type"].trim().toLowerCase() : "";
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
      return textOf(scalarText(part["text"]));
    case "refusal":
      return textOf(scalarText(part["refusal"]));
    case "image_url":
    case "input_image":
      return [readImage(part, param)];
    case "file":
    case "input_file":
      throw unsupported(
        "Uploaded files are not supported; send text, or images by address or as data URLs.",
        param,
      );
    default:
      throw unsupported(
        `Unsupported content part type ${JSON.stringify(type)}; text and images are supported.`,
        param,
      );
  }
}

const unsupported = (message: string, param: string): HttpError =>
  badRequest(message, param, "unsupported_content_type");

/** Text, also where a client wrote a number or a boolean; empty for all else. */
export const scalarText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";

function readImage(part: Readonly<Record<string, unknown>>, param: string): MessagePart {
  const source = part["image_url"];
  const own = isJsonObject(source) ? source : { url: source };
  const url = typeof own["url"] === "string" ? own["url"].trim() : "";
  checkImageUrl(url, { param, hasFileId: part["file_id"] !== undefined });
  const detail = "detail" in own ? own["detail"] : part["detail"];
  if (detail === undefined || detail === null) return { type: "image", url };
  if (typeof detail !== "string" || detail.trim() === "")
    throw badRequest(
      "An image's detail must be a word such as low, high or auto.",
      param,
      "invalid_content_part",
    );
  return { type: "image", url, detail };
}

function checkImageUrl(
  url: string,
  { param, hasFileId }: { readonly param: string; readonly hasFileId: boolean },
): void {
  const lower = url.slice(0, 64).toLowerCase();
  const isData = lower.startsWith("data:");
  if ((isData && (!lower.startsWith("data:image/") || !url.includes(","))) || (url === "" && hasFileId))
    throw unsupported("Only images can be sent as data URLs: data:image/<type>;base64,<data>.", param);
  if (isData || lower.startsWith("http://") || lower.startsWith("https://")) return;
  throw badRequest("An image needs an http(s) address or a data:image/ URL.", param, "invalid_image_url");
}
