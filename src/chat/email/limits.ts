import type { Capabilities, Limits } from "../port/platform.ts";

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1_000_000;
const TO_ONE = { burst: 10, perSecond: 1 / 5, atStart: 5 };

/** Milliseconds after which the wait for news is begun anew: servers end one of half an hour. */
export const RENEW_MS = 5 * 60_000;

/** Mail has no limits of its own; these keep an account from looking like one that sends advertisements. */
export const EMAIL_LIMITS: Limits = {
  limit: 500_000,
  readsMarkdown: true,
  mentions: { words: "nowhere", tags: false },
  direct: TO_ONE,
  channel: TO_ONE,
  bot: { burst: 20, perSecond: 1, atStart: 10 },
  editEveryMs: 1000,
  typingMs: 60_000,
  silenceMs: 2 * RENEW_MS + 60_000,
  // A mailbox is read from where reading stopped; a server that numbers anew shows what nobody has read.
  repeatsMs: 30 * DAY_MS,
  fileIn: 15 * MEGABYTE,
  fileOut: 15 * MEGABYTE,
};

/** Whether a mail arrived can be asked only where the server keeps what was sent. */
export const EMAIL_CAPABILITIES: Capabilities = {
  edit: false,
  buttons: false,
  typing: false,
  threads: true,
  resend: "mark",
};
