import type { Capabilities, Limits } from "../port/platform.ts";

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1_000_000;

/**
 * Longer texts become files on phones, and a message may be changed ten times. Signal says no rates; who writes too fast has to
 * solve a riddle: https://github.com/AsamK/signal-cli/wiki/Handling-of-rate-limits
 */
export const SIGNAL_LIMITS: Limits = {
  limit: 2000,
  // Mentions stand beside a text, and none are sent.
  mentions: { words: "nowhere", tags: false },
  direct: { burst: 5, perSecond: 0.5 },
  channel: { burst: 5, perSecond: 0.5 },
  bot: { burst: 10, perSecond: 1 },
  editEveryMs: 3000,
  mostEdits: 10,
  // It shows for fifteen seconds.
  typingMs: 10_000,
  // The service pings a WebSocket each 54 s.
  silenceMs: 150_000,
  repeatsMs: 2 * DAY_MS,
  fileIn: 50 * MEGABYTE,
  fileOut: 50 * MEGABYTE,
};

/** What was sent cannot be read back. */
export const SIGNAL_CAPABILITIES: Capabilities = {
  edit: true,
  buttons: false,
  typing: true,
  threads: false,
  resend: "mark",
};
