import { HostError } from "../../shared/errors/host-error.ts";
import { answerOf, codeOf, MESSAGE_RETRY_MS, type PlatformTransport } from "./platform-sender.ts";
import { PLAIN } from "./markdown/flavour.ts";
import { renderMarkdown } from "./markdown/render.ts";
import { deliverableText, isBlank } from "./deliverable-text.ts";
import { splitText } from "./split-text.ts";

/** An account at the messaging service. */
export interface SmsAccount {
  readonly baseUrl: string;
  readonly accountSid: string;
  readonly token: string;
  /** The number that sends. */
  readonly from: string;
  /** The number to which texts go that name none. */
  readonly home?: string;
}

interface Sms {
  readonly target: { readonly chatId?: string };
  readonly text: string;
  /** Parts of it that were taken already. */
  readonly partsSent?: number;
}

const LIMIT = 1600;

/** Sends texts to phones: https://www.twilio.com/docs/messaging/api/message-resource */
export function smsSender({
  account,
  send,
}: {
  readonly account: SmsAccount;
  readonly send: PlatformTransport;
}) {
  const { baseUrl, accountSid, token, from, home } = account;
  return {
    retryMs: MESSAGE_RETRY_MS,
    async send({ target, text, partsSent = 0 }: Sms, signal: AbortSignal): Promise<void> {
      const to = target.chatId ?? home;
      if (to === undefined)
        throw new HostError(
          "config_invalid",
          "sms has no home: set platforms.sms.home_channel, or name a number as sms:<number>.",
        );
      const clean = deliverableText(text);
      const plain = renderMarkdown(clean, PLAIN);
      for (const [index, part] of splitText(isBlank(plain) ? clean : plain, LIMIT).entries()) {
        if (index < partsSent) continue;
        const answer = answerOf(
          await send({
            url: `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
            method: "POST",
            headers: {
              authorization: `Basic ${Buffer.from(`${accountSid}:${token}`).toString("base64")}`,
              "content-type": "application/x-www-form-urlencoded",
            },
            body: new URLSearchParams({ To: to, From: from, Body: part }).toString(),
            signal,
          }),
        );
        const { status, body } = answer;
        if (status >= 200 && status < 300) continue;
        const reason =
          typeof body["message"] === "string" ? body["message"].slice(0, 300) : `status ${status}`;
        throw new HostError(codeOf(answer), `sms: ${reason}`, { details: { partsSent: index } });
      }
    },
  };
}
