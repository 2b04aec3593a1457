import { defined } from "../../shared/json/defined.ts";
import type { Button, OutgoingMessage } from "../port/outgoing.ts";
import type { SlackApi, SlackFields } from "./api.ts";
import { sendFile } from "./files.ts";

/** The kind of the metadata by which a message is found again. */
export const ONCE = "agent_message";

/** Posts a message, or a file with the text as its comment; gives its id. https://docs.slack.dev/reference/methods/chat.postMessage */
export async function postMessage(
  api: SlackApi,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<string> {
  const { place, text, buttons, once, file } = message;
  if (file !== undefined) return await sendFile(api, { ...message, file }, signal);
  const { ts } = await api.call(
    "chat.postMessage",
    {
      channel: place.chatId,
      ...defined({ thread_ts: place.threadId }),
      text,
      ...(buttons === undefined || buttons.length === 0 ? {} : { blocks: blocksOf(text, buttons) }),
      metadata: { event_type: ONCE, event_payload: { once } },
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
    },
    { signal },
  );
  return typeof ts === "string" ? ts : "";
}

const LONGEST_SECTION = 3000;
const LONGEST_LABEL = 75;

/** A text with a row of buttons: https://docs.slack.dev/reference/block-kit/blocks */
export function blocksOf(text: string, buttons: readonly Button[]): readonly SlackFields[] {
  if (buttons.length === 0) return [];
  const sections = sectionsOf(text).map((part) => ({
    type: "section",
    // As it is written: nothing in it calls anybody.
    text: { type: "mrkdwn", text: part, verbatim: true },
  }));
  const elements = buttons.map(({ label, value }, index) => ({
    type: "button",
    action_id: `answer_${index}`,
    text: { type: "plain_text", text: label.slice(0, LONGEST_LABEL) },
    value,
  }));
  return [...sections, { type: "actions", elements }];
}

/** Parts of a text, cut between lines where there are any. */
function sectionsOf(text: string): readonly string[] {
  if (text.length <= LONGEST_SECTION) return [text];
  const line = text.lastIndexOf("\n", LONGEST_SECTION);
  const at = line > 0 ? line : LONGEST_SECTION;
  return [text.slice(0, at), ...sectionsOf(text.slice(line > 0 ? at + 1 : at))];
}
