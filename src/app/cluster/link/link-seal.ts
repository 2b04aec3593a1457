import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { Sides } from "./handshake.ts";

const CIPHER = "aes-256-gcm";
const TAG_BYTES = 16;
const IV_BYTES = 12;

/** The seal of what one side of a link says: nobody in between can read, change, drop or repeat it. */
export class LinkSeal {
  readonly #key: Uint8Array;
  #messages = 0n;

  /** Both sides make the same key of the secret, for this link and this direction only. */
  constructor(secret: string, speaker: keyof Sides, { caller, called }: Sides) {
    const salt = `${caller.nonce}${called.nonce}`;
    this.#key = new Uint8Array(hkdfSync("sha256", secret, salt, `agent link, ${speaker}`, 32));
  }

  seal(text: string): Uint8Array {
    const cipher = createCipheriv(CIPHER, this.#key, this.#next());
    return Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  }

  /** Opens what the speaker has sealed next. @throws HostError `unauthorized` when it is anything else */
  open(sealed: Uint8Array): string {
    const end = Math.max(0, sealed.length - TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, this.#next(), { authTagLength: TAG_BYTES });
    try {
      decipher.setAuthTag(sealed.subarray(end));
      return `${decipher.update(sealed.subarray(0, end), undefined, "utf8")}${decipher.final("utf8")}`;
    } catch (thrown) {
      throw new HostError("unauthorized", "What came over the link is not what the other host has said.", {
        cause: thrown,
      });
    }
  }

  /** Both sides count: a key never meets the same vector twice, and a message that is missing or repeated does not open. */
  #next(): Uint8Array {
    const vector = Buffer.alloc(IV_BYTES);
    vector.writeBigUInt64BE(this.#messages, IV_BYTES - 8);
    this.#messages += 1n;
    return vector;
  }
}
