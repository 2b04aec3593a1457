import { createHash } from "node:crypto";
import { HostError, isJsonObject } from "../../core/index.ts";
import type { Platform, PlatformAnswer } from "./platform.ts";
import { splitText } from "./split-text.ts";

/** Where the owner's account on a platform is. */
export interface PlatformAccount {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly token: string;
  readonly from?: string;
  /** Where texts go that name no chat. */
  readonly home?: string;
}

/** A request to a platform; what it answers, as it is. @throws HostError `fetch_failed`, `fetch_refused` */
export type Send = (request: {
  readonly url: string;
  readonly method: "POST" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}>;

/** A text for a platform. */
interface Outgoing {
  readonly id: string;
  readonly target: { readonly chatId?: string; readonly threadId?: string };
  readonly text: string;
}

/** Waits before further tries: a minute's outage, an hour's. */
export const MESSAGE_RETRY_MS = [2000, 15_000, 60_000, 600_000, 3_600_000] as const;

/** Sends texts through a platform; long ones as several messages. */
export function platformSender(
  platform: Platform,
  { account, send }: { readonly account: PlatformAccount; readonly send: Send },
) {
  return {
    retryMs: MESSAGE_RETRY_MS,
    async send({ id, target, text }: Outgoing, signal: AbortSignal): Promise<void> {
      const chatId = platform.oneChat === true ? "" : (target.chatId ?? account.home);
      if (chatId === undefined) {
        throw new HostError(
          "config_invalid",
          `${platform.name} has no home: set platforms.${platform.name}.home_channel, or name a chat as ${platform.name}:<chat>.`,
        );
      }
      const place = { chatId, ...(target.threadId === undefined ? {} : { threadId: target.threadId }) };
      for (const [index, part] of splitText(text, platform.limit).entries()) {
        const once = createHash("sha256").update(`${id}\n${index}`).digest("hex").slice(0, 24);
        const call = platform.call(
          { ...place, text: part, once },
          { token: account.token, from: account.from ?? "" },
        );
        const answer = await send({
          url: `${account.baseUrl}${call.path}`,
          method: call.method ?? "POST",
          headers: { "content-type": "application/json; charset=utf-8", ...call.headers },
          body: JSON.stringify(call.body),
          signal,
        });
        check(platform, answerOf(answer), index > 0);
      }
    },
  };
}

function answerOf({ status, headers, bytes }: Awaited<ReturnType<Send>>): PlatformAnswer {
  let body: unknown;
  try {
    body = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    // Some answers are no JSON; the status then says it all.
    body = {};
  }
  return { status, body: isJsonObject(body) ? body : {}, retryAfter: headers["retry-after"] };
}

/** @param begun - a part is there already: trying again would say it twice */
function check(platform: Platform, answer: PlatformAnswer, begun: boolean): void {
  const refusal = platform.refusal(answer);
  if (refusal === undefined) return;
  const passing = (answer.status >= 500 || answer.status === 429 || refusal.waitMs !== undefined) && !begun;
  const details = refusal.waitMs === undefined ? {} : { retryAfterMs: refusal.waitMs };
  throw new HostError(
    passing ? "delivery_failed" : "invalid_params",
    `${platform.name}: ${refusal.message.slice(0, 300)}`,
    {
      details,
    },
  );
}
