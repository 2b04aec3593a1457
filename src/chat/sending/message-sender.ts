import { type Clock, sleep } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { SentPart } from "../inbox/entry.ts";
import type { Channel } from "../port/channel.ts";
import type { OutgoingMessage } from "../port/outgoing.ts";
import type { Capabilities, ChatPlatform } from "../port/platform.ts";
import type { ChatPlace } from "../port/place.ts";
import type { SendBudget } from "./budget.ts";

/** The parts with which messages are sent. */
export interface SenderParts {
  readonly platform: Pick<ChatPlatform, "name" | "capabilities" | "limits">;
  readonly channel: Channel;
  readonly budget: SendBudget;
  readonly clock: Clock;
}

/** A message as it is to be sent: it may have a form without any markup, for when the other is refused. */
export interface MessageDraft extends OutgoingMessage {
  readonly plain: string;
}

/** The durable note of a message on its way. */
export interface SendNote {
  /** What an earlier try, or an earlier process, left. */
  readonly before?: SentPart;
  /** Why it is not known what became of that try; the restart of this process by default. */
  readonly reason?: "restart" | "fault";
  /** Notes it; durable when it resolves. */
  readonly note: (part: SentPart) => Promise<void>;
}

/** Waits before a further try, in milliseconds. */
const RETRY_MS = [1000, 4000, 15_000];
/** A longer silence that a platform wants is not waited for here. */
const LONGEST_WAIT_MS = 60_000;

/** What stands above a message that may be there twice. */
export const MARKS = {
  restart: "(sent again after a restart)",
  fault: "(sent again after a fault)",
} as const;
/** Characters that a mark may take. */
export const MARK_ROOM = 40;

/** A text with its mark. */
export const marked = (mark: SentPart["mark"], text: string): string =>
  mark === undefined ? text : [MARKS[mark], text].filter((each) => each !== "").join("\n\n");

/**
 * The way of every message: its intent is noted before it is sent and its receipt after it. A message whose fate is not
 * known is treated as its platform allows.
 */
export class MessageSender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /**
   * Sends a message, trying again while that may help and is not long.
   *
   * @throws HostError as `Channel` says; with `details.uncertain` when it may have arrived
   */
  async send(
    draft: MessageDraft,
    { before, note, reason: first = "restart" }: SendNote,
    signal: AbortSignal,
  ): Promise<SentPart> {
    if (before?.messageId !== undefined) return before;
    const { budget, clock, channel, platform } = this.#parts;
    let part: SentPart = before ?? { once: draft.once, begun: true, at: clock.now() };
    let isUnknown = before !== undefined;
    let reason = first;
    if (before === undefined) await note(part);
    for (let attempt = 0; ; attempt += 1) {
      await budget.take(draft.place, signal);
      try {
        if (isUnknown) {
          const resend = resendAfter(platform, clock.now() - (part.at ?? 0));
          if (resend === "never") throw notAgain(platform.name);
          const found = resend === "ask" ? await channel.find?.(draft, signal) : undefined;
          if (found !== undefined) return await noted({ ...part, messageId: found }, note);
          if (resend === "mark") part = await noted({ ...part, mark: reason }, note);
        }
        const again = isUnknown ? ({ again: true } as const) : {};
        const messageId = await this.#post({ ...draft, ...again }, part, signal);
        if (messageId === "") throw unnamed(platform.name);
        return await noted({ ...part, messageId }, note);
      } catch (thrown) {
        const error = toHostError(thrown);
        isUnknown ||= error.details.uncertain === true;
        reason = "fault";
        await this.#waitOrThrow(error, { place: draft.place, attempt, isUnknown, signal });
      }
    }
  }

  /** Makes a request that may be repeated, such as an edit, again and again while that may help and is not long. */
  async repeat(place: ChatPlace, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      await this.#parts.budget.take(place, signal);
      try {
        return await work();
      } catch (thrown) {
        await this.#waitOrThrow(toHostError(thrown), { place, attempt, isUnknown: false, signal });
      }
    }
  }

  /** Posts it; without its markup when the platform does not take that. */
  async #post({ plain, ...draft }: MessageDraft, { mark }: SentPart, signal: AbortSignal): Promise<string> {
    const { channel, budget } = this.#parts;
    const post = (text: string): Promise<string> =>
      channel.send({ ...draft, text: marked(mark, text), source: marked(mark, draft.source) }, signal);
    try {
      return await post(draft.text);
    } catch (thrown) {
      const error = toHostError(thrown);
      if (error.code !== "invalid_params" || plain === draft.text) throw thrown;
      await budget.take(draft.place, signal);
      return await post(plain);
    }
  }

  async #waitOrThrow(
    error: HostError,
    {
      place,
      attempt,
      isUnknown,
      signal,
    }: { place: ChatPlace; attempt: number; isUnknown: boolean; signal: AbortSignal },
  ): Promise<void> {
    const { budget, clock } = this.#parts;
    const { retryAfterMs } = error.details;
    if (retryAfterMs !== undefined) await budget.close(place, retryAfterMs);
    const wait = RETRY_MS[attempt];
    const mayPass = error.code === "delivery_failed" || error.code === "fetch_failed";
    if (signal.aborted || !mayPass || wait === undefined || (retryAfterMs ?? 0) > LONGEST_WAIT_MS)
      throw isUnknown ? uncertain(error) : error;
    await sleep(clock, Math.max(wait, retryAfterMs ?? 0), signal);
  }
}

/** What becomes of a message of unknown fate so many milliseconds after its first try. */
export function resendAfter(
  { capabilities, limits }: Pick<ChatPlatform, "capabilities" | "limits">,
  ms: number,
): Capabilities["resend"] {
  const isForgotten = capabilities.resend === "same" && ms > (limits.sameMs ?? Number.POSITIVE_INFINITY);
  return isForgotten ? "mark" : capabilities.resend;
}

/** It may be there, and would be there twice. */
export const notAgain = (platform: string): HostError =>
  new HostError(
    "invalid_params",
    `${platform}: it is not known whether the message arrived, and it is not sent twice.`,
    { details: { uncertain: true } },
  );

async function noted(part: SentPart, note: SendNote["note"]): Promise<SentPart> {
  await note(part);
  return part;
}

/** It may be there, and could not be changed. */
const unnamed = (platform: string): HostError =>
  new HostError("delivery_failed", `${platform}: the answer names no message.`, {
    details: { uncertain: true },
  });

const uncertain = (error: HostError): HostError =>
  new HostError(error.code, error.message, { cause: error, details: { ...error.details, uncertain: true } });
