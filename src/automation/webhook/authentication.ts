import { createHmac } from "node:crypto";
import { secretCheck } from "../../shared/crypto/secret-check.ts";

/** The headers of a call, by name in lower case, as they came: a character for each byte. */
export type HeaderReader = (name: string) => string | undefined;

/** The facts that a sender's proof is checked against. */
export interface AuthenticationRequest {
  readonly header: HeaderReader;
  readonly body: Uint8Array;
  readonly secret: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Skips the check; only for servers that nobody else can reach. */
export const NO_AUTH = "INSECURE_NO_AUTH";

const TOLERANCE_S = 300;
const SVIX = ["svix-id", "svix-timestamp", "svix-signature"] as const;
const STANDARD = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

/**
 * Whether a call proves that its sender knows the secret. The first proof that is recognised counts: when it is wrong,
 * no other one helps.
 */
export function isAuthentic(request: AuthenticationRequest): boolean {
  if (request.secret === NO_AUTH) return true;
  if (request.secret === "") return false;
  const { header } = request;
  for (const { present, check } of SCHEMES) if (present(header)) return check(request);
  return false;
}

interface Scheme {
  readonly present: (header: HeaderReader) => boolean;
  readonly check: (request: AuthenticationRequest) => boolean;
}

const has =
  (...names: readonly string[]) =>
  (header: HeaderReader): boolean =>
    names.some((name) => header(name) !== undefined);

/** In order of precedence. */
const SCHEMES: readonly Scheme[] = [
  { present: has(...SVIX), check: (request) => isSignedText(request, SVIX) },
  { present: has("webhook-signature"), check: (request) => isSignedText(request, STANDARD) },
  { present: has("linear-signature"), check: (request) => isHmac(request, "linear-signature") },
  {
    present: has("x-hub-signature-256"),
    check: (request) => isHmac(request, "x-hub-signature-256", "sha256="),
  },
  {
    present: has("x-hostb-token", "x-gitlab-token"),
    check: ({ header, secret }) => same(header("x-hostb-token") ?? header("x-gitlab-token") ?? "", secret),
  },
  { present: has("x-webhook-signature-v2"), check: isTimedHmac },
  { present: has("x-webhook-signature"), check: (request) => isHmac(request, "x-webhook-signature") },
  { present: has("authorization"), check: isBearer },
];

/** `v1,<base64>` over id, timestamp and body; several may be given, and one must hold. */
function isSignedText(
  { header, body, secret, now }: AuthenticationRequest,
  [id, time, signature]: typeof SVIX | typeof STANDARD,
): boolean {
  const given = { id: header(id), time: header(time), signature: header(signature) };
  if (given.id === undefined || given.time === undefined || given.signature === undefined) return false;
  if (!isFresh(given.time, now)) return false;
  const signed = createHmac("sha256", signingKey(secret))
    .update(`${given.id}.${given.time}.`, "latin1")
    .update(body);
  const expected = `v1,${signed.digest("base64")}`;
  // Every one is compared, so that the time taken says nothing.
  return (
    given.signature
      .split(" ")
      .slice(0, 20)
      .filter((each) => same(each, expected)).length > 0
  );
}

/** Gives the bytes with which texts are signed: the base64 after `whsec_`, else the secret itself. */
export function signingKey(secret: string): Buffer {
  return secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret, "utf8");
}

function isHmac({ header, body, secret }: AuthenticationRequest, name: string, prefix = ""): boolean {
  const expected = prefix + createHmac("sha256", secret).update(body).digest("hex");
  return same(header(name) ?? "", expected);
}

function isTimedHmac({ header, body, secret, now }: AuthenticationRequest): boolean {
  const time = header("x-webhook-timestamp");
  if (time === undefined || !isFresh(time, now)) return false;
  const expected = createHmac("sha256", secret).update(`${time}.`, "latin1").update(body).digest("hex");
  return same(header("x-webhook-signature-v2") ?? "", expected);
}

function isBearer({ header, secret }: AuthenticationRequest): boolean {
  const token = /^bearer +(.*)$/is.exec(header("authorization") ?? "")?.[1];
  return token !== undefined && same(token.trim(), secret);
}

const isFresh = (seconds: string, now: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(now / 1000 - Number(seconds)) <= TOLERANCE_S;

/** @param given - a header as it came, a character for each byte */
const same = (given: string, expected: string): boolean =>
  secretCheck(expected)(Buffer.from(given, "latin1"));
