import type { Capabilities, Limits } from "../port/platform.ts";

const HOUR_MS = 3_600_000;
const MEGABYTE = 1_000_000;

/**
 * Five messages a second to one person, and to one group for all bots in it; five changes of a card:
 * https://open.feishu.cn/document/server-docs/im-v1/message/create,
 * https://open.feishu.cn/document/server-docs/im-v1/message-card/patch. A card has 30 KB at most. An event that is not
 * acknowledged comes again after 15 s, 5 minutes, 1 and 6 hours:
 * https://open.feishu.cn/document/server-docs/event-subscription-guide/overview
 */
export const FEISHU_LIMITS: Limits = {
  limit: 6000,
  // The text twice, as the foundation counts it: escaped again in the request there is room for it all.
  largest: 26_000,
  readsMarkdown: true,
  // `<at id=all>` calls everybody; whether it does so in code is not documented.
  mentions: { words: "outside code", tags: true },
  direct: { burst: 5, perSecond: 4 },
  channel: { burst: 5, perSecond: 3 },
  bot: { burst: 40, perSecond: 15 },
  editEveryMs: 800,
  // There is no sign of typing.
  typingMs: 60_000,
  // Heartbeats are answered each two minutes, or as often as the platform wants them.
  silenceMs: 300_000,
  repeatsMs: 48 * HOUR_MS,
  // Feishu takes a `uuid` once within an hour.
  sameMs: HOUR_MS - 5 * 60_000,
  fileIn: 20 * MEGABYTE,
  fileOut: 30 * MEGABYTE,
};

/** Messages are cards, which can be changed for 14 days. */
export const FEISHU_CAPABILITIES: Capabilities = {
  edit: true,
  buttons: true,
  typing: false,
  threads: true,
  resend: "same",
};
