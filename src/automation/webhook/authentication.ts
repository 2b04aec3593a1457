import { signingKey } from "../../shared/crypto/standard-webhook.ts";
import { createHash, createHmac } from "node:crypto";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import type { HttpContext } from "../../http/server/context.ts";
import { hostCheck } from "../../http/server/hosts.ts";
import { HttpError } from "../../http/server/http-error.ts";
import { isForwardedHeader } from "../../shared/net/forwarded-header.ts";
import type { WebhookRoute } from "./route.ts";

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

/** A proof that holds. */
export interface Proof {
  /**
   * The same for all that carries this signature, in whatever header and spelling; absent when the sender showed the
   * secret itself.
   */
  readonly signature?: string;
}

/** Skips the check; only for servers that nobody else can reach. */
export const NO_AUTH = "INSECURE_NO_AUTH";

const TOLERANCE_S = 300;
/** Signatures of one header that are looked at. */
const MOST_SIGNATURES = 20;
const SVIX = ["svix-id", "svix-timestamp", "svix-signature"] as const;
const STANDARD = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

/**
 * The proof that a call's sender knows the secret; `undefined` when there is none. The first one that is recognised
 * counts: when it is wrong, no other one helps.
 */
export function proofOf(request: AuthenticationRequest): Proof | undefined {
  if (request.secret === NO_AUTH) return {};
  if (request.secret === "" || signingKey(request.secret).length === 0) return undefined;
  const { header } = request;
  for (const { present, check } of SCHEMES) if (present(header)) return check(request);
  return undefined;
}

interface Scheme {
  readonly present: (header: HeaderReader) => boolean;
  readonly check: (request: AuthenticationRequest) => Proof | undefined;
}

const has =
  (...names: readonly string[]) =>
  (header: HeaderReader): boolean =>
    names.some((name) => header(name) !== undefined);

/** In order of precedence. */
const SCHEMES: readonly Scheme[] = [
  { present: has(...SVIX), check: (request) => signedText(request, SVIX) },
  { present: has("webhook-signature"), check: (request) => signedText(request, STANDARD) },
  { present: has("stripe-signature"), check: stripeProof },
  { present: has("x-slack-signature"), check: slackProof },
  { present: has("linear-signature"), check: (request) => signedBody(request, "linear-signature") },
  {
    present: has("x-hub-signature-256"),
    check: (request) => signedBody(request, "x-hub-signature-256", "sha256="),
  },
  {
    present: has("x-hostb-token", "x-gitlab-token"),
    check: ({ header, secret }) => shown(header("x-hostb-token") ?? header("x-gitlab-token"), secret),
  },
  { present: has("x-webhook-signature-v2"), check: timedProof },
  { present: has("x-webhook-signature"), check: (request) => signedBody(request, "x-webhook-signature") },
  { present: has("authorization"), check: ({ header, secret }) => shown(bearerOf(header), secret) },
];

/** `v1,<base64>` over id, timestamp and body; several may be given, and one must hold. */
function signedText(
  { header, body, secret, now }: AuthenticationRequest,
  [id, time, signature]: typeof SVIX | typeof STANDARD,
): Proof | undefined {
  const given = { id: header(id), time: header(time), signature: header(signature) };
  if (given.id === undefined || given.time === undefined || given.signature === undefined) return undefined;
  if (!isFresh(given.time, now)) return undefined;
  const digest = digestOf(signingKey(secret), `${given.id}.${given.time}.`, body);
  return held(given.signature.split(" "), `v1,${digest.toString("base64")}`, digest);
}

/** `t=<seconds>,v1=<hex>` over `<seconds>.<body>`, several of it while a secret is changed. The key is the secret as written. */
function stripeProof({ header, body, secret, now }: AuthenticationRequest): Proof | undefined {
  const parts = (header("stripe-signature") ?? "").split(",").map((part) => part.trim());
  const time = parts.find((part) => part.startsWith("t="))?.slice("t=".length);
  if (time === undefined || !isFresh(time, now)) return undefined;
  const digest = digestOf(secret, `${time}.`, body);
  const signatures = parts.filter((part) => part.startsWith("v1="));
  return held(signatures, `v1=${digest.toString("hex")}`, digest);
}

/** `v0=<hex>` over `v0:<seconds>:<body>`. */
function slackProof({ header, body, secret, now }: AuthenticationRequest): Proof | undefined {
  const time = header("x-slack-request-timestamp");
  if (time === undefined || !isFresh(time, now)) return undefined;
  const digest = digestOf(secret, `v0:${time}:`, body);
  return held([header("x-slack-signature") ?? ""], `v0=${digest.toString("hex")}`, digest);
}

function timedProof({ header, body, secret, now }: AuthenticationRequest): Proof | undefined {
  const time = header("x-webhook-timestamp");
  if (time === undefined || !isFresh(time, now)) return undefined;
  const digest = digestOf(secret, `${time}.`, body);
  return held([header("x-webhook-signature-v2") ?? ""], digest.toString("hex"), digest);
}

function signedBody(
  { header, body, secret }: AuthenticationRequest,
  name: string,
  prefix = "",
): Proof | undefined {
  const digest = digestOf(secret, "", body);
  return held([header(name) ?? ""], prefix + digest.toString("hex"), digest);
}

const shown = (given: string | undefined, secret: string): Proof | undefined =>
  given !== undefined && same(given, secret) ? {} : undefined;

const bearerOf = (header: HeaderReader): string | undefined =>
  /^bearer +(.*)$/is.exec(header("authorization") ?? "")?.[1]?.trim();

/** @param before - what is signed before the body; a header's text, a character for each byte */
const digestOf = (key: string | Buffer, before: string, body: Uint8Array): Buffer =>
  createHmac("sha256", key).update(before, "latin1").update(body).digest();

/** Every one is compared, so that the time taken says nothing. */
function held(given: readonly string[], expected: string, digest: Buffer): Proof | undefined {
  const right = given.slice(0, MOST_SIGNATURES).filter((each) => same(each, expected));
  return right.length > 0 ? { signature: createHash("sha256").update(digest).digest("hex") } : undefined;
}

const isFresh = (seconds: string, now: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(now / 1000 - Number(seconds)) <= TOLERANCE_S;

/** @param given - a header as it came, a character for each byte */
const same = (given: string, expected: string): boolean =>
  secretCheck(expected)(Buffer.from(given, "latin1"));

const isThisMachine = hostCheck([]);

/**
 * Refuses calls that no other software makes: those of web pages; and, on a route without a secret, those that were
 * passed on by a proxy or that name another host than this machine, as pages do whose name was made to point here.
 *
 * @throws HttpError 403
 */
export function checkCaller(c: HttpContext, { secret }: Pick<WebhookRoute, "secret">): void {
  if (c.req.header("origin") !== undefined)
    throw new HttpError(403, "Webhooks are not taken from web pages: send no Origin");
  if (secret !== NO_AUTH) return;
  if (!isThisMachine(c.req.header("host")))
    throw new HttpError(403, "This route has no secret: call it as localhost, or give it a secret");
  if (Object.keys(c.req.header()).some(isForwardedHeader))
    throw new HttpError(403, "This route has no secret: it is not served through a proxy");
}
