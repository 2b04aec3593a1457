import { MATRIX_HTML } from "../../providers/delivery/index.ts";
import type { Capabilities, Limits } from "../port/platform.ts";

const DAY_MS = 24 * 3_600_000;
const MEGABYTE = 1_000_000;

/** What was written while no process was connected is read as far back. */
export const MATRIX_READ_BACK_MS = DAY_MS;
/** Milliseconds for which a server holds a request for news. */
export const HOLD_MS = 30_000;

/**
 * An event has 65,536 bytes at most (https://spec.matrix.org/latest/client-server-api/#size-limits), and holds a text twice.
 * Servers choose their rates, and say with 429 when it is too much; ten at once is what a usual one takes.
 */
export const MATRIX_LIMITS: Limits = {
  limit: 16_000,
  largest: 58_000,
  flavour: MATRIX_HTML,
  // `m.mentions` calls nobody; servers older than it look for @room in the text.
  mentions: { words: "outside code", tags: false },
  direct: { burst: 5, perSecond: 1 },
  channel: { burst: 5, perSecond: 1 },
  bot: { burst: 10, perSecond: 2 },
  editEveryMs: 2000,
  typingMs: 20_000,
  silenceMs: 4 * HOLD_MS,
  repeatsMs: 2 * MATRIX_READ_BACK_MS,
  // Some servers remember transactions in their memory only, for half an hour.
  sameMs: 30 * 60_000,
  fileIn: 50 * MEGABYTE,
  fileOut: 50 * MEGABYTE,
};

/** A message that is sent again with its transaction id is taken once. */
export const MATRIX_CAPABILITIES: Capabilities = {
  edit: true,
  buttons: false,
  typing: true,
  threads: true,
  resend: "same",
};
