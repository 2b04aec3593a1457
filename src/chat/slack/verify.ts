import { createHmac } from "node:crypto";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import type { WebhookRequest } from "../port/channel.ts";

const LONGEST_AGE_S = 300;

/**
 * Whether Slack signed a request within the last five minutes, over its bytes as they came:
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 *
 * @param now - Unix milliseconds
 */
export function isSignedBySlack(secret: string, { headers, body }: WebhookRequest, now: number): boolean {
  const time = headers["x-slack-request-timestamp"] ?? "";
  if (secret === "" || !/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(now / 1000 - Number(time)) > LONGEST_AGE_S) return false;
  const expected = createHmac("sha256", secret).update(`v0:${time}:`).update(body).digest("hex");
  return secretCheck(`v0=${expected}`)(headers["x-slack-signature"] ?? "");
}
