import { describe, expect, test } from "vitest";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import { networkError, stalledError } from "../../../../src/providers/models/errors/network-error.ts";
import { ResponseTooLarge } from "../../../../src/providers/models/errors/response-too-large.ts";

const SPEAKER = { provider: "work", model: "gpt-4o", host: "models.example.com", keyRemedy: "", secrets: [] };

const coded = (code: string, cause?: unknown): Error => Object.assign(new Error("x", { cause }), { code });

describe("a connection that failed", () => {
  test.each<[string, Error, RegExp]>([
    ["refused", coded("ECONNREFUSED"), /refused the connection \(ECONNREFUSED\)/],
    [
      "refused on all addresses",
      new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")]),
      /refused the connection/,
    ],
    [
      "wrapped by clients",
      new Error("a", { cause: new Error("b", { cause: coded("ENOTFOUND") }) }),
      /not found by name/,
    ],
    ["for want of a resolver", coded("EAI_AGAIN"), /not found by name/],
    ["without an answer", coded("UND_ERR_CONNECT_TIMEOUT"), /cannot be reached/],
    ["with an old certificate", coded("CERT_HAS_EXPIRED"), /no certificate that this machine trusts/],
    ["with a certificate of its own", coded("DEPTH_ZERO_SELF_SIGNED_CERT"), /NODE_EXTRA_CA_CERTS/],
    ["without TLS", coded("ERR_SSL_WRONG_VERSION_NUMBER"), /certificate/],
    ["in the middle", coded("ECONNRESET"), /broke during the answer of gpt-4o \(ECONNRESET\)/],
    ["for no reason", new Error("?"), /broke during the answer of gpt-4o\. Try again\./],
  ])("%s names the host and what to do", (_title, thrown, message) => {
    const error = networkError(thrown, SPEAKER);
    expect(error.code).toBe("provider_network");
    expect(error.message).toMatch(message);
    expect(error.message).toContain("models.example.com");
    expect(error.cause).toBe(thrown);
  });

  test("by its own error keeps it", () => {
    const error = new HostError("provider_auth", "No key.");
    expect(networkError(error, SPEAKER)).toBe(error);
  });

  test("by too much is no network's fault", () => {
    expect(networkError(new ResponseTooLarge(), SPEAKER)).toMatchObject({ code: "provider_bad_request" });
  });
});

test.each([
  ["read", /sent nothing for 1 s.*AGENT_STREAM_READ_TIMEOUT/],
  ["stale", /said nothing for 2\.5 s.*AGENT_STREAM_STALE_TIMEOUT/],
  ["whole", /did not finish its answer for 3 s.*AGENT_API_TIMEOUT/],
] as const)("a watchdog that bites for %s names its variable", (bite, message) => {
  const error = stalledError(bite, { readMs: 1000, staleMs: 2500, wholeMs: 3000 }, SPEAKER);
  expect(error.code).toBe("provider_stalled");
  expect(error.message).toMatch(message);
});
