import type { MessageEdit } from "../port/outgoing.ts";

/** A message as it is to be shown: with its Markdown, or, where Feishu does not take that, as it is written. */
export interface CardDraft extends Pick<MessageEdit, "place" | "text" | "buttons"> {
  readonly isPlain?: boolean;
}

/**
 * The card that a message is: other messages could be changed 20 times only. The values of its buttons say where it is, for
 * clicks do not: https://open.feishu.cn/document/feishu-cards/card-json-v2-structure
 */
export function cardOf({ place, text, buttons = [], isPlain = false }: CardDraft): string {
  const words = isPlain
    ? { tag: "div", text: { tag: "plain_text", content: text } }
    : { tag: "markdown", content: withoutPictures(text) };
  const elements = buttons.map(({ label, value: answer }) => ({
    tag: "button",
    text: { tag: "plain_text", content: label },
    type: "default",
    width: "fill",
    behaviors: [{ type: "callback", value: { answer, kind: place.kind, thread: place.threadId } }],
  }));
  return JSON.stringify({
    schema: "2.0",
    config: { update_multi: true },
    body: { elements: [words, ...elements] },
  });
}

/** Pictures of the web are links: a card takes only those that were uploaded, and is refused with others. Code stays. */
const withoutPictures = (text: string): string =>
  text.replaceAll(/(```[\s\S]*?```|`[^`\n]*`)|!\[([^\][\n]*)\]\(/g, (_all, code?: string, words?: string) =>
    code === undefined ? `[${words ?? ""}](` : code,
  );
