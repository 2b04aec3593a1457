import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A message as the browser of a device reads it, and what the push service saw of it. */
interface Pushed {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The claims that the sender signed with the key by which the browser subscribed. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly key: string;
}

/** A push service with one browser, which decrypts as RFC 8291 says. */
export interface PushService extends AsyncDisposable {
  readonly subscription: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
  readonly pushed: readonly Pushed[];
  /** The statuses of the next answers; 201 when there is none. */
  readonly answers: number[];
}

export async function pushService(): Promise<PushService> {
  const browser = createECDH("prime256v1");
  const own = browser.generateKeys();
  const auth = randomBytes(16);
  const pushed: Pushed[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const status = answers.shift() ?? 201;
      if (status < 300) {
        const { claims, key } = signed(String(request.headers.authorization));
        const text = decrypted(Buffer.concat(chunks), { browser, own, auth });
        pushed.push({ headers: request.headers, text, claims, key });
      }
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    subscription: {
      endpoint: `http://127.0.0.1:${port}/push/${randomBytes(8).toString("hex")}`,
      keys: { p256dh: own.toString("base64url"), auth: auth.toString("base64url") },
    },
    pushed,
    answers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface BrowserKeys {
  readonly browser: ReturnType<typeof createECDH>;
  readonly own: Buffer;
  readonly auth: Buffer;
}

function decrypted(bytes: Buffer, { browser, own, auth }: BrowserKeys): string {
  const salt = bytes.subarray(0, 16);
  const sender = bytes.subarray(21, 21 + (bytes[20] ?? 0));
  const sealed = bytes.subarray(21 + sender.length);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), own, sender]);
  const shared = Buffer.from(hkdfSync("sha256", browser.computeSecret(sender), auth, info, 32));
  const derive = (name: string, length: number): Buffer =>
    Buffer.from(hkdfSync("sha256", shared, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
  const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  // Padding: a two, then zeros.
  return plain.subarray(0, plain.lastIndexOf(2)).toString("utf8");
}

function signed(authorization: string): Pick<Pushed, "claims" | "key"> {
  const [, token = "", key = ""] = /^vapid t=([^,]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const raw = Buffer.from(key, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: raw.subarray(1, 33).toString("base64url"),
    y: raw.subarray(33).toString("base64url"),
  };
  const publicKey = createPublicKey({ key: jwk, format: "jwk" });
  const bytes = Buffer.from(signature, "base64url");
  if (
    !verify("sha256", Buffer.from(`${head}.${claims}`), { key: publicKey, dsaEncoding: "ieee-p1363" }, bytes)
  )
    throw new Error("The push was not signed by the key that it names.");
  return { claims: JSON.parse(Buffer.from(claims, "base64url").toString()) as Pushed["claims"], key };
}
