import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { OutgoingMessage } from "../port/outgoing.ts";
import type { SlackApi, SlackFields } from "./api.ts";
import { ONCE } from "./send.ts";

const REACH_S = 7 * 24 * 3600;
const PAGE = 200;
const MOST_PAGES = 50;

/** The circumstances of a look: who looks, and when, in Unix milliseconds. */
export interface Search {
  readonly botId: string;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Looks for a message of the last seven days by the metadata that it was sent with; for a file, which has none, by its name
 * and its text. https://docs.slack.dev/reference/methods/conversations.replies
 *
 * @throws HostError `invalid_params` when there is more than can be looked through
 */
export async function findMessage(
  api: SlackApi,
  message: OutgoingMessage,
  { botId, now, signal }: Search,
): Promise<string | undefined> {
  const { chatId, threadId } = message.place;
  const channel = /^[UW]/.test(chatId) ? await directChat(api, chatId, signal) : chatId;
  const [method, fields] =
    threadId === undefined
      ? ["conversations.history", { channel }]
      : ["conversations.replies", { channel, ts: threadId }];
  const query: SlackFields = {
    ...fields,
    oldest: String(Math.floor(now / 1000) - REACH_S),
    limit: PAGE,
    include_all_metadata: true,
  };
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const read = await api.call(method, { ...query, cursor }, { signal });
    const messages = Array.isArray(read["messages"]) ? read["messages"].filter(isJsonObject) : [];
    const found = messages.find((each) => isThatOne(each, message, botId));
    if (typeof found?.["ts"] === "string") return found["ts"];
    const { response_metadata: more } = read;
    const next = isJsonObject(more) ? more["next_cursor"] : undefined;
    if (typeof next !== "string" || next === "") return undefined;
    cursor = next;
  }
  throw new HostError(
    "invalid_params",
    "slack: too much was said since to find out whether the message arrived.",
    {
      details: { uncertain: true },
    },
  );
}

function isThatOne(
  { metadata, files, user, text }: Record<string, unknown>,
  message: OutgoingMessage,
  botId: string,
): boolean {
  if (message.file !== undefined)
    return (
      user === botId && text === message.text && Array.isArray(files) && files.some(named(message.file.name))
    );
  const { event_type: type, event_payload: payload } = isJsonObject(metadata) ? metadata : {};
  return type === ONCE && isJsonObject(payload) && payload["once"] === message.once;
}

const named =
  (name: string) =>
  (file: unknown): boolean =>
    isJsonObject(file) && file["name"] === name;

/** The direct chat with a person, as which a target may name it. */
async function directChat(api: SlackApi, user: string, signal: AbortSignal): Promise<string> {
  const { channel } = await api.call("conversations.open", { users: user }, { signal });
  const id = isJsonObject(channel) ? channel["id"] : undefined;
  if (typeof id === "string") return id;
  throw new HostError("not_found", "slack: there is no chat with that person.");
}
