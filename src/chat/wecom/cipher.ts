import { createDecipheriv } from "node:crypto";

const IV_BYTES = 16;
const BLOCK = 32;

/**
 * Decrypts what WeCom encrypted: AES-256-CBC, the vector is the begin of the key, filled up to 32 bytes:
 * https://developer.work.weixin.qq.com/document/path/90968. `undefined` for what is none.
 */
export function decipher(key: Uint8Array, bytes: Uint8Array): Buffer | undefined {
  try {
    const cipher = createDecipheriv("aes-256-cbc", key, key.subarray(0, IV_BYTES)).setAutoPadding(false);
    const plain = Buffer.concat([cipher.update(bytes), cipher.final()]);
    const padding = plain.at(-1) ?? 0;
    const isFilled = padding >= 1 && padding <= BLOCK && padding <= plain.length;
    const end = plain.length - padding;
    return isFilled && plain.subarray(end).every((byte) => byte === padding)
      ? plain.subarray(0, end)
      : undefined;
  } catch {
    return undefined;
  }
}
