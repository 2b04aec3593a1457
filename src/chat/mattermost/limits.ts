import type { Capabilities, Limits } from "../port/platform.ts";

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1_000_000;

/**
 * What was written while no process was connected is read as far back.
 * Whatever is read again that way must still be known.
 */
export const READ_BACK_MS = DAY_MS;

/**
 * A message has 16,383 characters, and a server that limits its rate takes 10 requests a second, 100 at once, unless its
 * owner says otherwise: https://docs.mattermost.com/configure/rate-limiting-configuration-settings.html. Its heartbeat
 * comes each 60 s.
 */
export const MATTERMOST_LIMITS: Limits = {
  limit: 16_383,
  readsMarkdown: true,
  // No request can say that nobody is called. The server reads the text between code, as its parser of Markdown sees it.
  mentions: { words: "outside code", tags: false },
  direct: { burst: 10, perSecond: 4 },
  channel: { burst: 10, perSecond: 4 },
  bot: { burst: 20, perSecond: 8 },
  editEveryMs: 1000,
  typingMs: 5000,
  silenceMs: 130_000,
  repeatsMs: 2 * READ_BACK_MS,
  fileIn: 20 * MEGABYTE,
  fileOut: 50 * MEGABYTE,
};

/** Buttons need an address at which the server reaches this host: an account that has one says so itself. */
export const MATTERMOST_CAPABILITIES: Capabilities = {
  edit: true,
  buttons: false,
  typing: true,
  threads: true,
  resend: "ask",
};
