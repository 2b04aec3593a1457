import type { Capabilities, Limits } from "../port/platform.ts";

const DAY_MS = 24 * 3_600_000;
const MEBIBYTE = 1_048_576;

/**
 * https://docs.discord.com/developers/topics/rate-limits: 50 requests a second of a bot; those of a channel are told with
 * each answer, and are five in five seconds as a rule.
 */
export const DISCORD_LIMITS: Limits = {
  limit: 2000,
  readsMarkdown: true,
  // Every request has `allowed_mentions` that allow none.
  mentions: { words: "nowhere", tags: false },
  direct: { burst: 5, perSecond: 1 },
  channel: { burst: 5, perSecond: 1 },
  bot: { burst: 40, perSecond: 40 },
  editEveryMs: 1000,
  // It shows for ten seconds.
  typingMs: 8000,
  // Heartbeats come every 41 s.
  silenceMs: 120_000,
  // What was missed is read for a day back.
  repeatsMs: 2 * DAY_MS,
  // "The past few minutes", the documentation says.
  sameMs: 120_000,
  fileIn: 25 * MEBIBYTE,
  fileOut: 10 * MEBIBYTE,
};

/**
 * A message that is sent again with its nonce is taken once, for a few minutes. Later nothing can be asked: messages that
 * are read back do not have their nonces.
 */
export const DISCORD_CAPABILITIES: Capabilities = {
  edit: true,
  buttons: true,
  typing: true,
  threads: true,
  resend: "same",
};
