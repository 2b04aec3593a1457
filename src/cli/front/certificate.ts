import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { isAbsent } from "../../app/config/home.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";

/** Key and certificate, PEM. */
interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 24 * 3_600_000;
const VALID_DAYS = 825;
/** One that ends so soon is made anew. */
const RENEW_BEFORE_MS = 30 * DAY_MS;

/**
 * The certificate of a home's front address: the one in `front/`, or a self-signed one that is made for the names of
 * this machine. An own one may be put there instead, as `cert.pem` and `key.pem`.
 */
export async function certificate(home: string, names: readonly string[]): Promise<Certificate> {
  const folder = join(home, "front");
  const paths = { key: join(folder, "key.pem"), cert: join(folder, "cert.pem") };
  const known = load(paths);
  if (known !== undefined) return known;
  const { generate } = await import("selfsigned");
  const made = await generate([{ name: "commonName", value: names[0] ?? "agent" }], {
    algorithm: "sha256",
    keyType: "ec",
    notAfterDate: new Date(Date.now() + VALID_DAYS * DAY_MS),
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames: ["localhost", "127.0.0.1", "::1", ...names].map(altName) },
    ],
  });
  makeFolder(folder);
  replaceFile(paths.key, made.private, 0o600);
  replaceFile(paths.cert, made.cert, 0o644);
  return { key: made.private, cert: made.cert };
}

/** An address of a network interface may carry its name behind a percent sign. */
function altName(
  name: string,
): { readonly type: 2; readonly value: string } | { readonly type: 7; readonly ip: string } {
  const [plain = ""] = name.split("%");
  return isIP(plain) === 0 ? { type: 2, value: plain } : { type: 7, ip: plain };
}

/** One that somebody else has signed is theirs to renew. */
function load(paths: Certificate): Certificate | undefined {
  try {
    const pair = { key: readFileSync(paths.key, "utf8"), cert: readFileSync(paths.cert, "utf8") };
    const { validTo, issuer, subject } = new X509Certificate(pair.cert);
    const ours = issuer === subject;
    return ours && Date.parse(validTo) - Date.now() < RENEW_BEFORE_MS ? undefined : pair;
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw cause;
  }
}
