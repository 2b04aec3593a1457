import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { proofOf } from "../../../src/automation/webhook/authentication.ts";
import { times } from "../../kit/counts.ts";

const secret = "s3cret-of-the-test-ü";
const body = Buffer.from('{"a":"ü"}');
const now = 1_800_000_000_000;
const seconds = String(now / 1000);

const hmac = (text: string | Buffer, key: string | Buffer = secret): string =>
  createHmac("sha256", key).update(text).digest("hex");
const signed = (id: string, time: string, key: string | Buffer = secret): string =>
  `v1,${createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64")}`;

/** As a header arrives: a character for each byte. */
const raw = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

const proven = (
  headers: Readonly<Record<string, string>>,
  more: Partial<{ body: Buffer; secret: string }> = {},
): boolean => proofOf({ header: (name) => headers[name], body, secret, now, ...more }) !== undefined;

const svix = (id: string, time: string, signature: string) => ({
  "svix-id": id,
  "svix-timestamp": time,
  "svix-signature": signature,
});

/** As the payment service's library makes it for tests. */
const stripe = (time: string, key = secret): string =>
  `t=${time},v1=${hmac(Buffer.concat([Buffer.from(`${time}.`), body]), key)}`;

const slack = (time: string) => ({
  "x-slack-request-timestamp": time,
  "x-slack-signature": `v0=${hmac(Buffer.concat([Buffer.from(`v0:${time}:`), body]))}`,
});

describe("accepted:", () => {
  test.each([
    ["code host A's signature", { "x-hub-signature-256": `sha256=${hmac(body)}` }],
    ["code host B's token", { "x-hostb-token": raw(secret) }],
    ["code host B's token under its real name", { "x-gitlab-token": raw(secret) }],
    ["the generic signature", { "x-webhook-signature": hmac(body) }],
    ["the bearer secret", { authorization: `bearer   ${raw(secret)} ` }],
    ["svix", svix("msg_1", seconds, signed("msg_1", seconds))],
    ["one of several svix signatures", svix("msg_1", seconds, `v1,AAAA v2,x ${signed("msg_1", seconds)}`)],
    [
      "standard webhooks",
      { "webhook-id": "1", "webhook-timestamp": seconds, "webhook-signature": signed("1", seconds) },
    ],
    [
      "the timed generic signature",
      {
        "x-webhook-signature-v2": hmac(Buffer.concat([Buffer.from(`${seconds}.`), body])),
        "x-webhook-timestamp": seconds,
      },
    ],
    ["an issue tracker's signature", { "linear-signature": hmac(body) }],
    ["the payment service's", { "stripe-signature": stripe(seconds) }],
    [
      "the payment service's while a secret is changed, with spaces and other schemes",
      { "stripe-signature": `t=${seconds}, v1=${"0".repeat(64)},v0=x, ${stripe(seconds).split(",")[1]}` },
    ],
    ["the messenger's", slack(seconds)],
  ])("%s", (_name, headers) => {
    expect(proven(headers)).toBe(true);
  });

  test("a secret of the form whsec_ signs with the bytes behind it", () => {
    const key = Buffer.from("0123456789abcdef0123456789abcdef");
    const headers = svix("m", seconds, signed("m", seconds, key));
    expect(proven(headers, { secret: `whsec_${key.toString("base64")}` })).toBe(true);
  });

  test("the payment service's key is its secret as it is written", () => {
    const key = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
    expect(proven({ "stripe-signature": stripe(seconds, key) }, { secret: key })).toBe(true);
  });

  test("one signature is known in every header and spelling; a secret that was shown is none", () => {
    const of = (headers: Readonly<Record<string, string>>) =>
      proofOf({ header: (name) => headers[name], body, secret, now });
    const first = of({ "x-hub-signature-256": `sha256=${hmac(body)}` })?.signature;
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(first).not.toBe(hmac(body));
    expect(of({ "x-webhook-signature": hmac(body) })?.signature).toBe(first);
    expect(of({ "linear-signature": hmac(body) })?.signature).toBe(first);
    const padded = svix("m", seconds, `v1,AAAA ${signed("m", seconds)} v2,x`);
    expect(of(padded)?.signature).toBe(of(svix("m", seconds, signed("m", seconds)))?.signature);
    expect(of({ authorization: `Bearer ${raw(secret)}` })).toEqual({});
  });

  test("everything, when the owner said so", () => {
    expect(proven({}, { secret: "INSECURE_NO_AUTH" })).toBe(true);
  });
});

describe("refused:", () => {
  const good = hmac(body);
  test.each([
    ["no proof at all", {}],
    ["another body", { "x-hub-signature-256": `sha256=${hmac("other")}` }],
    ["a missing prefix", { "x-hub-signature-256": good }],
    ["upper-case hex", { "x-webhook-signature": good.toUpperCase() }],
    ["a signature given twice", { "x-webhook-signature": `${good}, ${good}` }],
    ["an empty signature", { "x-webhook-signature": "" }],
    ["a basic scheme", { authorization: `Basic ${secret}` }],
    ["a bearer of nothing", { authorization: "Bearer " }],
    ["half of svix", { "svix-id": "m", "svix-timestamp": seconds }],
    ["an old timestamp", svix("m", String(now / 1000 - 301), signed("m", String(now / 1000 - 301)))],
    ["a timestamp of the future", svix("m", String(now / 1000 + 301), signed("m", String(now / 1000 + 301)))],
    ["a timestamp that is no number", svix("m", `${seconds}.5`, signed("m", `${seconds}.5`))],
    ["an old payment", { "stripe-signature": stripe(String(now / 1000 - 301)) }],
    ["a payment without its time", { "stripe-signature": `v1=${hmac(body)}` }],
    ["a payment signed with another key", { "stripe-signature": stripe(seconds, "another") }],
    ["an old message", slack(String(now / 1000 - 301))],
    ["a message without its time", { "x-slack-signature": slack(seconds)["x-slack-signature"] }],
    ["a message without the prefix", { ...slack(seconds), "x-slack-signature": hmac(body) }],
    ["a timed signature without its time", { "x-webhook-signature-v2": good, "x-webhook-signature": good }],
    [
      "a wrong first proof, whatever comes after it",
      { "x-hub-signature-256": "sha256=00", authorization: `Bearer ${raw(secret)}` },
    ],
    ["bytes that are no UTF-8", { authorization: "Bearer \u00ff\u00fe" }],
  ])("%s", (_name, headers) => {
    expect(proven(headers)).toBe(false);
  });

  test("anything under an empty secret", () => {
    expect(proven({ "x-webhook-signature": hmac(body, "") }, { secret: "" })).toBe(false);
    expect(proven({ authorization: "Bearer " }, { secret: "" })).toBe(false);
  });

  test.each(["whsec_", "whsec_%%"])("what is signed with the empty key of %s", (empty) => {
    const headers = svix("m", seconds, signed("m", seconds, ""));
    expect(proven(headers, { secret: empty })).toBe(false);
  });

  test("ten thousand forgeries", () => {
    const names = [
      "x-hub-signature-256",
      "x-webhook-signature",
      "x-hostb-token",
      "authorization",
      "svix-signature",
    ];
    const forged = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[0-9a-f]{64}$/),
      fc.stringMatching(/^sha256=[0-9a-f]{64}$/),
      fc.constantFrom(
        hmac(body, "guess"),
        `sha256=${hmac(body, "")}`,
        "Bearer secret",
        "null",
        secret.slice(1),
      ),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), forged), (headers) => {
        expect(proven(headers)).toBe(false);
      }),
      { numRuns: times(10_000) },
    );
  });
});
