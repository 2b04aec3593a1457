import { deliverableText, markdownParts } from "../../providers/delivery/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { createHash } from "node:crypto";
import type { OutgoingFile } from "../port/outgoing.ts";
import type { ChatPlace } from "../port/place.ts";
import { captionParts } from "./captions.ts";
import { MARK_ROOM, marked, notAgain, resendAfter, type SenderParts } from "./message-sender.ts";

/** A text that goes to a chat by way of the outbox. */
export interface LateDelivery {
  readonly id: string;
  readonly target: { readonly chatId: string; readonly threadId?: string };
  readonly text: string;
  readonly subject?: string;
  /** A file that goes out; the text is its caption. */
  readonly file?: OutgoingFile;
  /** Parts of it that are there already. */
  readonly partsSent?: number;
  /** The part after them may be there too. */
  readonly uncertain?: boolean;
  /** Unix milliseconds before which nothing of it was sent; unknown when absent. */
  readonly createdAt?: number;
}

/**
 * Sends a text to a chat, long ones as several messages, once each: the outbox tries again, behind what has arrived.
 *
 * @throws HostError as `Channel` says; `details.partsSent` counts the parts that are there
 */
export async function sendDelivery(
  { platform, channel, budget, clock }: SenderParts,
  { id, target, text, subject, file, partsSent = 0, uncertain = false, createdAt = 0 }: LateDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { limits } = platform;
  const { chatId, threadId } = target;
  const place: ChatPlace = { kind: "channel", chatId, ...defined({ threadId }) };
  const parts =
    file === undefined
      ? markdownParts(deliverableText(text), { ...limits, limit: limits.limit - MARK_ROOM })
      : [captionParts(text, limits)];
  for (const [index, { text: written, plain, source }] of parts.entries()) {
    if (index < partsSent) continue;
    const isUnknown = uncertain && index === partsSent;
    const resend = isUnknown ? resendAfter(platform, clock.now() - createdAt) : undefined;
    const mark = resend === "mark" ? "fault" : undefined;
    const once = createHash("sha256").update(`${id}\n${index}`).digest("hex").slice(0, 24);
    const more = defined({ subject, file, again: isUnknown ? (true as const) : undefined });
    const post = async (words: string): Promise<unknown> =>
      await channel.send(
        { place, once, text: marked(mark, words), source: marked(mark, source), ...more },
        signal,
      );
    try {
      if (resend === "never") throw notAgain(platform.name);
      await budget.take(place, signal);
      const found =
        resend === "ask"
          ? await channel.find?.({ place, once, text: written, source, ...more }, signal)
          : undefined;
      if (found !== undefined) continue;
      await post(written).catch(async (thrown: unknown) => {
        if (toHostError(thrown).code !== "invalid_params" || plain === written) throw thrown;
        await budget.take(place, signal);
        await post(plain);
      });
    } catch (thrown) {
      const { code, message, details } = toHostError(thrown);
      if (details.retryAfterMs !== undefined) await budget.close(place, details.retryAfterMs);
      throw new HostError(code, message, { cause: thrown, details: { ...details, partsSent: index } });
    }
  }
}
