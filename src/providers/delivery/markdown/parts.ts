import { isBlank } from "../deliverable-text.ts";
import { splitText } from "../split-text.ts";
import { type Flavour, PLAIN } from "./flavour.ts";
import { ALL_MENTIONS, type Mentions, quietMarkdown, quietMentions, quietWriting } from "./mentions.ts";
import { renderMarkdown } from "./render.ts";
import { splitMarkdown } from "./split.ts";

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
  /** What calls people there; all that does on any platform when absent. */
  readonly mentions?: Mentions;
}

/** Characters of a part that is not cut any further to be written in the platform's way. */
const SHORT = 200;

/** Cuts Markdown into messages. Written in the platform's way a part may be longer than it was: then it is cut again. */
export function markdownParts(text: string, room: MessageRoom): readonly MarkdownPart[] {
  const { readsMarkdown, mentions = ALL_MENTIONS } = room;
  // What is sent as it is written is made quiet before it is cut: it grows by that.
  const isQuiet = readsMarkdown === true || mentions.words === "everywhere";
  return partsWithin(isQuiet ? quietMarkdown(text, mentions) : text, room.limit, room);
}

function partsWithin(text: string, limit: number, room: MessageRoom): readonly MarkdownPart[] {
  return splitMarkdown(text, limit).flatMap((source) => {
    const part = partOf(source, room);
    if (fits(part, room)) return [part];
    if (limit > 2 * SHORT) return partsWithin(source, Math.floor(limit / 2), room);
    // Some signs are longer in the platform's way, by how much is known.
    return splitText(source, SHORT).map((piece) => {
      const { plain, source: quiet } = partOf(piece, room);
      return { source: quiet, text: plain, plain };
    });
  });
}

function partOf(written: string, room: MessageRoom): MarkdownPart {
  const { readsMarkdown, flavour = PLAIN, mentions = ALL_MENTIONS } = room;
  // Once more: cut from the others it may be read in another way.
  const source = quietMarkdown(written, mentions);
  if (readsMarkdown === true) return { source, text: source, plain: source };
  // And once more: writing it in the platform's way undoes what stood for a sign in Markdown.
  const text = quietWriting(flavour, mentions, (own) => renderMarkdown(written, own));
  const plain = quietMentions(flavour.text(written), mentions);
  return { source, plain, text: isBlank(seenOf(text, flavour)) ? plain : text };
}

function fits({ source, text, plain }: MarkdownPart, { limit, largest, flavour }: MessageRoom): boolean {
  const longest = Math.max(seenOf(text, flavour).length, seenOf(plain, flavour).length);
  const bytes = Buffer.byteLength(JSON.stringify([source, text]));
  return longest <= limit && bytes <= (largest ?? Number.POSITIVE_INFINITY);
}

const seenOf = (text: string, flavour: Flavour | undefined): string => flavour?.seen?.(text) ?? text;
