import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

/** A secret that only the process that asked for it can read. All fields base64. */
export interface SealedSecret {
  readonly publicKey: string;
  readonly nonce: string;
  readonly text: string;
  readonly tag: string;
}

const CIPHER = "aes-256-gcm";

/** A one-time X25519 key; its private half never leaves this object. */
export class SealingKey {
  readonly #privateKey: KeyObject;
  readonly publicKey: string;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync("x25519");
    this.#privateKey = privateKey;
    this.publicKey = encode(publicKey);
  }

  /** The secret, or `undefined` when it was sealed to another key or changed on its way. */
  open(sealed: SealedSecret): string | undefined {
    try {
      const key = exchange(this.#privateKey, sealed.publicKey, [sealed.publicKey, this.publicKey]);
      const decipher = createDecipheriv(CIPHER, key, Buffer.from(sealed.nonce, "base64"));
      decipher.setAuthTag(Buffer.from(sealed.tag, "base64"));
      return decipher.update(sealed.text, "base64", "utf8") + decipher.final("utf8");
    } catch {
      return undefined;
    }
  }
}

/** Seals a secret to somebody's `SealingKey`. */
export function seal(secret: string, to: string): SealedSecret {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  const own = encode(publicKey);
  const nonce = randomBytes(12);
  const cipher = createCipheriv(CIPHER, exchange(privateKey, to, [own, to]), nonce);
  const text = cipher.update(secret, "utf8", "base64") + cipher.final("base64");
  return {
    publicKey: own,
    nonce: nonce.toString("base64"),
    text,
    tag: cipher.getAuthTag().toString("base64"),
  };
}

const encode = (key: KeyObject): string => key.export({ format: "der", type: "spki" }).toString("base64");

/** The key that both sides derive, bound to both public keys. */
function exchange(privateKey: KeyObject, peer: string, both: readonly string[]): Buffer {
  const publicKey = createPublicKey({ key: Buffer.from(peer, "base64"), format: "der", type: "spki" });
  return Buffer.from(hkdfSync("sha256", diffieHellman({ privateKey, publicKey }), "", both.join("|"), 32));
}
