import { SLACK_MRKDWN } from "../../providers/delivery/index.ts";
import type { Capabilities, Limits } from "../port/platform.ts";

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1_000_000;

/**
 * A message a second and channel, with short bursts; some hundred messages, and from 50 edits on, a minute and workspace:
 * https://docs.slack.dev/apis/web-api/rate-limits. A text that is to be edited has 4,000 characters at most:
 * https://docs.slack.dev/reference/methods/chat.update
 */
export const SLACK_LIMITS: Limits = {
  limit: 4000,
  flavour: SLACK_MRKDWN,
  // `<!channel>` is escaped; names are left alone by `link_names`.
  mentions: { words: "outside code", tags: false },
  direct: { burst: 3, perSecond: 1 },
  channel: { burst: 3, perSecond: 1 },
  bot: { burst: 20, perSecond: 2 },
  editEveryMs: 2000,
  // A status stays for two minutes unless a message comes.
  typingMs: 60_000,
  // Slack pings a connection several times a minute.
  silenceMs: 60_000,
  // An event is sent again for some minutes; with delayed events, for a day.
  repeatsMs: 2 * DAY_MS,
  fileIn: 20 * MEGABYTE,
  fileOut: 50 * MEGABYTE,
};

/** Messages carry metadata by which they are found again. */
export const SLACK_CAPABILITIES: Capabilities = {
  edit: true,
  buttons: true,
  typing: true,
  threads: true,
  resend: "ask",
};
