import { createHmac } from "node:crypto";

/** Begins a secret whose bytes follow as base64. */
export const ENCODED = "whsec_";

/** Gives the bytes with which texts are signed: the base64 after `whsec_`, else the secret itself. */
export function signingKey(secret: string): Buffer {
  return secret.startsWith(ENCODED)
    ? Buffer.from(secret.slice(ENCODED.length), "base64")
    : Buffer.from(secret, "utf8");
}

/** A message that is signed: its id, and the time of this try in Unix milliseconds. */
interface SignedMessage {
  readonly secret: string;
  readonly id: string;
  readonly now: number;
}

/** Gives the headers of Standard Webhooks for a body; the signature covers id, time and body. */
export function standardHeaders(
  body: string,
  { secret, id, now }: SignedMessage,
): Readonly<Record<`webhook-${"id" | "timestamp" | "signature"}`, string>> {
  const time = String(Math.floor(now / 1000));
  const signature = createHmac("sha256", signingKey(secret)).update(`${id}.${time}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1,${signature}` };
}
