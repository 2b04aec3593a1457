import { isJsonObject } from "../../../../shared/json/json.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import type { JsonAnswer } from "../../endpoint/json-request.ts";
import { type DetectedDialect, type EndpointProbe, probeHeaders } from "../dialect.ts";

/** The version of the dialect, in a header of every request. */
export const PROTOCOL_HEADERS = { "anthropic-version": "2023-06-01" } as const;

/**
 * Tells whether an endpoint answers a request for one token of a made-up model in the shape of messages.
 *
 * @param at.address - the endpoint as this dialect addresses it
 */
export async function detectMessages(
  endpoint: Endpoint,
  { address, probe }: { readonly address: Endpoint; readonly probe: EndpointProbe },
): Promise<DetectedDialect | undefined> {
  const { credential } = probe;
  const headers = {
    "content-type": "application/json",
    ...PROTOCOL_HEADERS,
    ...probeHeaders(credential),
    ...(credential?.kind === "key" && { "x-api-key": credential.value }),
  };
  const body = { model: "probe", max_tokens: 1, messages: [{ role: "user", content: "ping" }] };
  const answer = await probe.ask({ endpoint: address, path: "/v1/messages", headers, body });
  return answer !== undefined && isMessagesAnswer(answer)
    ? { endpoint, models: [], by: "answer" }
    : undefined;
}

function isMessagesAnswer({ status, body }: JsonAnswer): boolean {
  if (isJsonObject(body)) {
    if (body["type"] === "message") return true;
    if (body["type"] === "error" && isJsonObject(body["error"])) return true;
  }
  return status === 400 && /messages|model/i.test(JSON.stringify(body));
}
