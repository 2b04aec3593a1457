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
