import { TELEGRAM_HTML } from "../../providers/delivery/index.ts";
import type { Capabilities, Limits } from "../port/platform.ts";

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1_000_000;

/** https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this, https://core.telegram.org/bots/api */
export const TELEGRAM_LIMITS: Limits = {
  limit: 4096,
  flavour: TELEGRAM_HTML,
  // A name may be somebody's, such as @online's. In code Telegram reads none, and all tags are escaped.
  mentions: { words: "outside code", tags: false },
  direct: { burst: 3, perSecond: 1 },
  channel: { burst: 4, perSecond: 20 / 60 },
  bot: { burst: 25, perSecond: 25 },
  editEveryMs: 1000,
  typingMs: 5000,
  // A look for updates is answered within 25 s, also when there are none.
  silenceMs: 60_000,
  // Updates are kept for a day.
  repeatsMs: 2 * DAY_MS,
  fileIn: 20 * MEGABYTE,
  fileOut: 50 * MEGABYTE,
};

/** A bot cannot read back what it wrote, and is not told of deletions. */
export const TELEGRAM_CAPABILITIES: Capabilities = {
  edit: true,
  buttons: true,
  typing: true,
  threads: true,
  resend: "mark",
};
