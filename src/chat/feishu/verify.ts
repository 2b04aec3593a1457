import { createDecipheriv, createHash } from "node:crypto";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import { parseForeignJson, readForeignObject } from "../../shared/json/json.ts";
import type { WebhookRequest } from "../port/channel.ts";

/** The last try to post an event comes some seven hours after the first one. */
const LONGEST_AGE_S = 24 * 3600;
const IV_BYTES = 16;

/**
 * Whether Feishu signed a request within the last day, over its bytes as they came:
 * https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/encrypt-key-encryption-configuration-case
 *
 * @param now - Unix milliseconds
 */
export function isSignedByFeishu(
  encryptKey: string,
  { headers, body }: WebhookRequest,
  now: number,
): boolean {
  const {
    "x-lark-request-timestamp": time = "",
    "x-lark-request-nonce": nonce = "",
    "x-lark-signature": signature = "",
  } = headers;
  if (encryptKey === "" || !/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(now / 1000 - Number(time)) > LONGEST_AGE_S) return false;
  const expected = createHash("sha256").update(`${time}${nonce}${encryptKey}`).update(body).digest("hex");
  return secretCheck(expected)(signature);
}

/** The content of a request, which is encrypted: AES-256-CBC, the first block is the vector. `undefined` for what is none. */
export function decrypted(encryptKey: string, body: Uint8Array): unknown {
  try {
    const { encrypt: secret } = readForeignObject(body);
    if (typeof secret !== "string") return undefined;
    const bytes = Buffer.from(secret, "base64");
    const key = createHash("sha256").update(encryptKey).digest();
    const cipher = createDecipheriv("aes-256-cbc", key, bytes.subarray(0, IV_BYTES));
    const plain = Buffer.concat([cipher.update(bytes.subarray(IV_BYTES)), cipher.final()]);
    return parseForeignJson(plain.toString("utf8"));
  } catch {
    return undefined;
  }
}
