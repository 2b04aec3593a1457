import { deliverableText, type MarkdownPart, markdownParts } from "../../providers/delivery/index.ts";
import type { Limits } from "../port/platform.ts";
import { MARK_ROOM } from "./message-sender.ts";

/** Characters: the shortest captions that a platform takes have 1,024. */
const LONGEST = 1024 - MARK_ROOM;

/** The words beside a file in the platform's way; of more than one message the first. */
export function captionParts(caption: string, limits: Limits): MarkdownPart {
  const limit = Math.min(LONGEST, limits.limit - MARK_ROOM);
  const [part] = caption.trim() === "" ? [] : markdownParts(deliverableText(caption), { ...limits, limit });
  return part ?? { source: "", text: "", plain: "" };
}
