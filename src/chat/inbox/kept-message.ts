import type { IncomingMessage } from "../port/incoming.ts";

/** Characters of a message that is taken; a longer one is refused in words. */
export const LONGEST_MESSAGE = 100_000;

/** A text without what no keyboard types: control characters are left out, halves of characters replaced. */
const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/(?![\n\t])\p{Cc}/gu, "");

/** A message as it is kept: the text of one that is too long is left out. */
export function keptMessage(message: IncomingMessage): IncomingMessage {
  const text = cleanText(message.text);
  return text.length > LONGEST_MESSAGE
    ? { ...message, text: "", leftOut: text.length }
    : { ...message, text };
}
