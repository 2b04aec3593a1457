import { WHATSAPP_SIGNS } from "../../providers/delivery/index.ts";
import type { Capabilities, Limits } from "../port/platform.ts";

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1_000_000;

/** Who writes right after a start does not wait. */
const TO_ONE = { burst: 40, perSecond: 1 / 6, atStart: 10 };

/**
 * To one person a message each six seconds, up to 45 ahead of that; 80 a second in all:
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput. Events are sent again for seven
 * days: https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview
 */
export const WHATSAPP_LIMITS: Limits = {
  limit: 4096,
  flavour: WHATSAPP_SIGNS,
  // Each message is to one person.
  mentions: { words: "nowhere", tags: false },
  direct: TO_ONE,
  // There are no groups; texts of jobs go to people too.
  channel: TO_ONE,
  bot: { burst: 60, perSecond: 60, atStart: 10 },
  editEveryMs: 1000,
  // It is shown for 25 s.
  typingMs: 22_000,
  // Nothing comes by itself: the account is looked at half as often.
  silenceMs: 20 * 60_000,
  repeatsMs: 8 * DAY_MS,
  fileIn: 20 * MEGABYTE,
  fileOut: 100 * MEGABYTE,
};

/** Messages can neither be changed nor looked for. */
export const WHATSAPP_CAPABILITIES: Capabilities = {
  edit: false,
  buttons: true,
  typing: true,
  threads: false,
  resend: "mark",
};
