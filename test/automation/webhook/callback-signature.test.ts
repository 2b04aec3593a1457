import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CALLBACK_TARGET, callbackSender } from "../../../src/automation/webhook/index.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { Webhook } from "../../kit/standard-webhooks.ts";

const BODY = '{"status":"completed","response":"Grüße"}';
const RAW = "0123456789abcdef0123456789abcdef";
const WHSEC = `whsec_${Buffer.from(RAW).toString("base64")}`;

/** The headers of a callback. They are signed for now: the libraries look at their own clocks. */
async function signedWith(secret: string): Promise<Readonly<Record<string, string>>> {
  const sent: Readonly<Record<string, string>>[] = [];
  const sender = callbackSender({
    secret,
    clock: systemClock,
    post: ({ headers }) => {
      sent.push(headers);
      return Promise.resolve({ status: 200 });
    },
  });
  const extra = { url: "http://127.0.0.1/", deliveryId: "d1" };
  const delivery = { id: "1", target: { kind: CALLBACK_TARGET }, text: BODY, extra };
  await sender.send(delivery as unknown as Parameters<typeof sender.send>[0], new AbortController().signal);
  return sent[0] ?? {};
}

const openai = new OpenAI({ apiKey: "none" });
const anthropic = new Anthropic({ apiKey: "none" });
const answer: unknown = JSON.parse(BODY);
const Answer = z.looseObject({ status: z.string() });

describe("a callback is verified by stock libraries", () => {
  test("with a secret that begins with whsec_, as it is", async () => {
    const headers = await signedWith(WHSEC);
    expect(new Webhook(WHSEC).verify(BODY, headers)).toEqual(answer);
    expect(await openai.webhooks.unwrap(BODY, headers, WHSEC)).toEqual(answer);
    expect(anthropic.beta.webhooks.unwrap(BODY, { headers, key: WHSEC })).toEqual(answer);
  });

  test("with any other secret, when its text is taken as the key", async () => {
    const headers = await signedWith(RAW);
    expect(new Webhook(RAW, { format: "raw" }).verify(BODY, headers)).toEqual(answer);
    expect(await openai.webhooks.unwrap(BODY, headers, RAW)).toEqual(answer);
    // A library that only takes base64 gets the text in base64.
    expect(Answer.parse(new Webhook(WHSEC).verify(BODY, headers))).toEqual(answer);
    // Taken as base64, the text is another key.
    expect(() => new Webhook(RAW).verify(BODY, headers)).toThrow("No matching signature");
  });

  test("and a body that was changed is refused", async () => {
    const headers = await signedWith(WHSEC);
    await expect(openai.webhooks.unwrap(`${BODY} `, headers, WHSEC)).rejects.toThrow("signature");
    expect(() => new Webhook(WHSEC).verify(`${BODY} `, headers)).toThrow("No matching signature");
  });
});
