import { createHmac } from "node:crypto";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import type { WebhookAnswer, WebhookRequest } from "../port/channel.ts";

/**
 * Whether Meta signed a request, over its bytes as they came:
 * https://developers.facebook.com/docs/graph-api/webhooks/getting-started#event-notifications
 */
export function isSignedByMeta(appSecret: string, { headers, body }: WebhookRequest): boolean {
  if (appSecret === "") return false;
  const expected = createHmac("sha256", appSecret).update(body).digest("hex");
  return secretCheck(`sha256=${expected}`)(headers["x-hub-signature-256"] ?? "");
}

const CHALLENGE = /^[\w.-]{1,200}$/;

/** Answers the request by which Meta finds out whether the address is the owner's. */
export function answerChallenge(verifyToken: string, { query }: WebhookRequest): WebhookAnswer {
  const { "hub.mode": mode, "hub.verify_token": given = "", "hub.challenge": challenge = "" } = query;
  const isOwners = verifyToken !== "" && secretCheck(verifyToken)(given);
  if (mode !== "subscribe" || !isOwners || !CHALLENGE.test(challenge)) return { status: 403 };
  return { status: 200, body: challenge };
}
