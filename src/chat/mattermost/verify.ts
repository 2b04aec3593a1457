import { createHmac } from "node:crypto";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import type { WebhookRequest } from "../port/channel.ts";

/** The signature of a button's value. */
export const signatureOf = (secret: string, value: string): string =>
  createHmac("sha256", secret).update(value).digest("hex");

/**
 * The value of the button whose address a request was posted to; `undefined` when the address is none of ours. The server
 * signs nothing: that it knows the address is the proof, as nobody else is told it.
 */
export function genuineValue(secret: string, { query }: WebhookRequest): string | undefined {
  const { value, signature } = query;
  if (secret === "" || value === undefined || signature === undefined) return undefined;
  return secretCheck(signatureOf(secret, value))(signature) ? value : undefined;
}
