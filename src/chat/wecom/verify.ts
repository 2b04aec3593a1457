import { createHash } from "node:crypto";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import type { WebhookRequest } from "../port/channel.ts";
import { decipher } from "./cipher.ts";
import { readXml } from "./xml.ts";

/** The secrets by which requests of WeCom are known. */
export interface CallbackSecrets {
  readonly token: string;
  /** 43 letters and digits. */
  readonly aesKey: string;
  readonly corpId: string;
}

/** WeCom posts a request again within seconds. */
const LONGEST_AGE_S = 3600;
const RANDOM_BYTES = 16;
const LENGTH_BYTES = 4;

/**
 * The content of a request that WeCom signed within the last hour: the text in its address that proves whose it is, or the
 * message in its body. `undefined` for what is forged. Both are signed and encrypted:
 * https://developer.work.weixin.qq.com/document/path/90968
 *
 * @param now - Unix milliseconds
 */
export function genuineContent(
  { token, aesKey, corpId }: CallbackSecrets,
  { method, query, body }: WebhookRequest,
  now: number,
): string | undefined {
  const { msg_signature: signature = "", timestamp = "", nonce = "", echostr = "" } = query;
  if (token === "" || aesKey === "" || !/^\d{1,12}$/.test(timestamp)) return undefined;
  if (Math.abs(now / 1000 - Number(timestamp)) > LONGEST_AGE_S) return undefined;
  // The signature is over this element alone.
  const secret =
    method === "GET" ? echostr : (readXml(Buffer.from(body).toString("utf8")).get("Encrypt") ?? "");
  const signed = [token, timestamp, nonce, secret].toSorted((a, b) => (a < b ? -1 : 1)).join("");
  const expected = createHash("sha1").update(signed).digest("hex");
  if (secret === "" || !secretCheck(expected)(signature)) return undefined;
  const plain = decipher(Buffer.from(`${aesKey}=`, "base64"), Buffer.from(secret, "base64"));
  if (plain === undefined || plain.length < RANDOM_BYTES + LENGTH_BYTES) return undefined;
  const begin = RANDOM_BYTES + LENGTH_BYTES;
  const end = begin + plain.readUInt32BE(RANDOM_BYTES);
  const isOurs = end <= plain.length && plain.subarray(end).toString("utf8") === corpId;
  return isOurs ? plain.subarray(begin, end).toString("utf8") : undefined;
}
