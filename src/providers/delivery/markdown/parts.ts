import { isBlank } from "../deliverable-text.ts";
import { splitText } from "../split-text.ts";
import { type Flavour, PLAIN } from "./flavour.ts";
import { renderMarkdown } from "./render.ts";
import { splitMarkdown } from "./split.ts";

/** It has no width: with it inside, what calls people on a platform is a text that looks the same. */
const NOTHING = "\u200B";
/** Words that call everybody, behind a sign or its spelling in Markdown; not inside an address of mail. */
const EVERYBODY =
  /(?<![\p{L}\p{N}_])(?:[@＠]|&(?:#0{0,5}64|#x0{0,5}40|commat);)(?=(?:all|everyone|everybody|here|channel|room|online|team)(?![\p{L}\p{N}])|所有人|全体成员|全体|全员)/giu;
/** Begins of tags that call people. */
const TAG = /<(?=\/?at[\s>]|[@!]|qqbot-)/gi;

/** Takes from a text what would notify everybody in a chat: it is a model's, and may be a stranger's. */
export const quietMentions = (text: string): string =>
  text.replace(EVERYBODY, `@${NOTHING}`).replace(TAG, `<${NOTHING}`);

/** A part of a text that fits into one message. */
export interface MarkdownPart {
  /** As it was written. */
  readonly source: string;
  /** In the platform's way. */
  readonly text: string;
  /** In the platform's way without any markup, for a platform that refuses the other; the same where there is none. */
  readonly plain: string;
}

/** The room that a platform has for one message. */
export interface MessageRoom {
  /** Characters that are seen. */
  readonly limit: number;
  /** Bytes of what is sent, where that is bounded too. */
  readonly largest?: number;
  readonly readsMarkdown?: boolean;
  readonly flavour?: Flavour;
}

/** Characters of a part that is not cut any further to be written in the platform's way. */
const SHORT = 200;

/** Cuts Markdown into messages. Written in the platform's way a part may be longer than it was: then it is cut again. */
export function markdownParts(text: string, room: MessageRoom): readonly MarkdownPart[] {
  return partsWithin(quietMentions(text), room.limit, room);
}

function partsWithin(text: string, limit: number, room: MessageRoom): readonly MarkdownPart[] {
  return splitMarkdown(text, limit).flatMap((source) => {
    const part = partOf(source, room);
    if (fits(part, room)) return [part];
    if (limit > 2 * SHORT) return partsWithin(source, Math.floor(limit / 2), room);
    // Some signs are longer in the platform's way, by how much is known.
    return splitText(source, SHORT).map((piece) => {
      const { plain } = partOf(piece, room);
      return { source: piece, text: plain, plain };
    });
  });
}

function partOf(source: string, { readsMarkdown, flavour = PLAIN }: MessageRoom): MarkdownPart {
  if (readsMarkdown === true) return { source, text: source, plain: source };
  // Once more: writing it in the platform's way undoes what stood for a sign in Markdown.
  const written = quietMentions(renderMarkdown(source, flavour));
  const plain = quietMentions(flavour.text(source));
  return { source, plain, text: isBlank(seenOf(written, flavour)) ? plain : written };
}

function fits({ source, text, plain }: MarkdownPart, { limit, largest, flavour }: MessageRoom): boolean {
  const longest = Math.max(seenOf(text, flavour).length, seenOf(plain, flavour).length);
  const bytes = Buffer.byteLength(JSON.stringify([source, text]));
  return longest <= limit && bytes <= (largest ?? Number.POSITIVE_INFINITY);
}

const seenOf = (text: string, flavour: Flavour | undefined): string => flavour?.seen?.(text) ?? text;
