import type { Capabilities, Limits } from "../port/platform.ts";

const HOUR_MS = 3_600_000;
const MEGABYTE = 1_000_000;

/** `<@id>` calls somebody; whether it does so in code is not documented. */
export const WECOM_MENTIONS = { words: "outside code", tags: true } as const;

/**
 * 30 messages a minute and 1,000 an hour to one chat: https://developer.work.weixin.qq.com/document/path/101463. A message
 * has 20,480 bytes at most; one of an app, which has 2,048, is cut again.
 */
export const WECOM_LIMITS: Limits = {
  limit: 4000,
  // The text twice, as the foundation counts it.
  largest: 36_000,
  readsMarkdown: true,
  mentions: WECOM_MENTIONS,
  direct: { burst: 15, perSecond: 0.25 },
  channel: { burst: 15, perSecond: 0.25 },
  bot: { burst: 30, perSecond: 10 },
  editEveryMs: 1000,
  // There is no sign of typing.
  typingMs: 60_000,
  // Heartbeats are answered twice a minute.
  silenceMs: 90_000,
  // A request is posted again within seconds.
  repeatsMs: 48 * HOUR_MS,
  fileIn: 20 * MEGABYTE,
  // None are sent.
  fileOut: 0,
};

/** Messages have no ids: they can neither be changed nor looked for. */
export const WECOM_CAPABILITIES: Capabilities = {
  edit: false,
  buttons: true,
  typing: false,
  threads: false,
  resend: "mark",
};
