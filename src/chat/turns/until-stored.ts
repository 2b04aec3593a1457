import { retryWhileStoreFails } from "../../shared/async/retry-while-store-fails.ts";
import type { ChatParts } from "./chat-parts.ts";

/**
 * Asks the store until it answers: an answer to people is not given up because of a moment in which it is away.
 *
 * @throws what no later try would change, and anything once `signal` aborts
 */
export const untilStored = <T>(
  { clock, host, report }: Pick<ChatParts, "clock" | "host" | "report">,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> => retryWhileStoreFails({ clock, random: host.services.random, report, signal }, ask);
