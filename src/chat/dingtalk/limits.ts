import type { Capabilities, Limits } from "../port/platform.ts";

const HOUR_MS = 3_600_000;
const MEGABYTE = 1_000_000;

/**
 * The parameters of a message have 15,000 bytes at most: https://open.dingtalk.com/document/orgapp/the-robot-sends-a-group-message.
 * A robot may send 20 messages a minute to a group: https://open.dingtalk.com/document/robots/custom-robot-access
 */
export const DINGTALK_LIMITS: Limits = {
  limit: 4000,
  // The text twice, as the foundation counts it.
  largest: 24_000,
  readsMarkdown: true,
  // Only the field `at` of a request calls people, and none is sent.
  mentions: { words: "outside code", tags: false },
  direct: { burst: 10, perSecond: 1 },
  channel: { burst: 10, perSecond: 1 / 3 },
  bot: { burst: 30, perSecond: 10 },
  editEveryMs: 1500,
  // There is no sign of typing.
  typingMs: 60_000,
  // The WebSocket is pinged twice a minute.
  silenceMs: 90_000,
  repeatsMs: 48 * HOUR_MS,
  fileIn: 20 * MEGABYTE,
  fileOut: 20 * MEGABYTE,
};

/** Messages cannot be changed, nor looked for; with a template of cards they can be changed, and have buttons. */
export const DINGTALK_CAPABILITIES: Capabilities = {
  edit: false,
  buttons: false,
  typing: false,
  threads: false,
  resend: "mark",
};
