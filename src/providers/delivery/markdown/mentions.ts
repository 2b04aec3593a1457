import { clearCode } from "./clear-code.ts";
import type { Flavour } from "./flavour.ts";

/** A platform's way to read in a text who is to be called. */
export interface Mentions {
  /** Where words such as `@all` count: in code too, outside of code, or nowhere, since the request says who is called. */
  readonly words: "everywhere" | "outside code" | "nowhere";
  /** Whether tags such as `<at id=all>` count; then they do in code too. */
  readonly tags: boolean;
}

/** For platforms of which nothing is known. */
export const ALL_MENTIONS: Mentions = { words: "everywhere", tags: true };

/** It has no width: with it inside, what calls people on a platform is a text that looks the same. */
const NOTHING = "\u200B";
/** Holds a place in code until the text around it is quiet; texts that are sent have no control characters. */
const HELD = "\u0002";
/** Words that call everybody, behind a sign or its spelling in Markdown; not inside an address of mail. */
const EVERYBODY =
  /(?<![\p{L}\p{N}_])(?:[@＠]|&(?:#0{0,5}64|#x0{0,5}40|commat);)(?=(?:all|everyone|everybody|here|channel|room|online|team)(?![\p{L}\p{N}])|所有人|全体成员|全体|全员)/giu;
/** Begins of tags that call people; `<!DOCTYPE` and comments are none. */
const TAG = /<(?=\/?at[\s>]|!?@|!(?:all|channel|everyone|group|here|subteam)|qqbot-)/gi;

/** Takes from a text what would notify everybody in a chat: it is a model's, and may be a stranger's. */
export function quietMentions(text: string, { words, tags } = ALL_MENTIONS): string {
  const quiet = words === "nowhere" ? text : text.replace(EVERYBODY, `@${NOTHING}`);
  return tags ? quiet.replace(TAG, `<${NOTHING}`) : quiet;
}

/** Does so with a text in Markdown, whose code is left alone where nobody is called in it. */
export function quietMarkdown(source: string, mentions: Mentions): string {
  if (mentions.words !== "outside code") return quietMentions(source, mentions);
  return clearCode(source)
    .map(({ text, isCode }) => quietMentions(text, isCode ? { ...mentions, words: "nowhere" } : mentions))
    .join("");
}

/** Does so with what a platform's flavour writes. */
export function quietWriting(
  flavour: Flavour,
  mentions: Mentions,
  write: (flavour: Flavour) => string,
): string {
  if (mentions.words !== "outside code") return quietMentions(write(flavour), mentions);
  const held = (bare: string): string => bare.replace(EVERYBODY, (sign) => `${sign}${HELD}`);
  const holding: Flavour = {
    ...flavour,
    code: (bare) => flavour.code(held(bare)),
    block: (bare, language) => flavour.block(held(bare), language),
  };
  return quietMentions(write(holding), mentions).replaceAll(HELD, "");
}
