import { CHAT_NAMES } from "../../chat/names.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";
import { wordList } from "../../shared/text/word-list.ts";
import type { UnknownKey } from "./unknown-keys.ts";

/** The keys of a block, each with those below it; `EACH` stands for names of the owner's, `undefined` for what is open. */
export interface KeyTable {
  readonly [key: string]: KeyTable | undefined;
}

/** Any name, in a table of keys. */
export const EACH = "<name>";

const keys = (names: string): KeyTable =>
  Object.fromEntries(wordList(names).map((name) => [name, undefined]));

const all = (names: string, table: KeyTable): KeyTable =>
  Object.fromEntries(wordList(names).map((name) => [name, table]));

const SENT_TO = keys("enabled base_url token home_channel host port secure user from account_sid");
const CHAT = {
  ...SENT_TO,
  extra: {
    ...keys("receive mode allow approvers approvals toolsets workspace webhook_url persona"),
    channels: { [EACH]: keys("persona") },
  },
};
/** The keys that chat platforms have of their own below `extra`. */
const OWN: KeyTable = {
  email: keys(
    "imap_host imap_port imap_security imap_user imap_mailbox authserv_id sent_mailbox most_per_hour",
  ),
  dingtalk: keys("card_template"),
};
const ROUTE = keys(
  "enabled events secret prompt skills deliver deliver_extra deliver_only http_reply toolsets",
);
const WEBHOOK = keys(
  "host port secret rate_limit max_body_bytes agent_route sync_timeout max_concurrent_runs callback_private callback_hosts persona",
);
const API_SERVER = keys(
  "host port persona cors_origins model_name allowed_hosts max_body_bytes disconnect_grace reasoning tool_items",
);

/**
 * The keys under `platforms`, by name alone: the schemas that check their values are loaded with what reads them, and cost a start
 * more than all else in it.
 */
export const PLATFORM_KEYS: KeyTable = {
  api_server: { enabled: undefined, extra: API_SERVER },
  dashboard: {
    enabled: undefined,
    extra: { ...keys("host port allowed_hosts"), openid: keys("issuer client_id claim value scope") },
  },
  webhook: { enabled: undefined, extra: { ...WEBHOOK, routes: { [EACH]: ROUTE } } },
  ...all(
    "email sms signal whatsapp matrix home_assistant dingtalk feishu wecom weixin bluebubbles qq",
    SENT_TO,
  ),
  ...all("messenger_4 messenger_5 messenger_6 messenger_8 messenger_9 messenger_10", SENT_TO),
  ...all("messenger_11 messenger_12 messenger_13 messenger_14", SENT_TO),
  ...Object.fromEntries(
    Object.entries(CHAT_NAMES).flatMap((names) =>
      names.map((name) => [name, { ...CHAT, extra: { ...CHAT.extra, ...OWN[names[0]] } }]),
    ),
  ),
};

/** Finds the keys under `platforms` that nothing reads. */
export const unreadPlatformKeys = ({ platforms }: Readonly<Record<string, unknown>>): readonly UnknownKey[] =>
  unread(platforms, { table: PLATFORM_KEYS, at: "platforms" });

interface Place {
  readonly table: KeyTable;
  readonly at: string;
}

function unread(value: unknown, { table, at }: Place): readonly UnknownKey[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const known = Object.hasOwn(table, key) || EACH in table;
    const below = table[key] ?? table[EACH];
    if (known) return below === undefined ? [] : unread(each, { table: below, at: `${at}.${key}` });
    const near = nearestName(key, Object.keys(table));
    return [{ path: `${at}.${key}`, ...defined({ suggestion: near && `${at}.${near}` }) }];
  });
}
