import { HostError } from "../../../shared/errors/host-error.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import type { ModelIdentity } from "../errors/model-identity.ts";

/**
 * The error for a good answer that is something else than was asked for.
 *
 * @param wanted - what the dialect calls a reply
 */
export function noReply(identity: ModelIdentity, wanted: string): HostError {
  const message = `${identity.model} at ${identity.host} answered something that is no ${wanted}. Is base_url the address of such an endpoint, and api_mode right?`;
  return new HostError("provider_bad_request", message);
}

/**
 * Parses the data of an event.
 *
 * @throws HostError `provider_network` for what is no JSON: leaving it out would leave a hole in the text that nobody sees
 */
export function parseEvent(name: string, data: string, identity: ModelIdentity): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    if (name === "error") return { message: data };
    const message = `${identity.model} at ${identity.host} sent a piece of its answer that is no JSON. Try again.`;
    throw new HostError("provider_network", message, { cause });
  }
}

/**
 * An event that says its type, in its data or by its name; `undefined` for one that says nothing. Some servers end every
 * stream as chat streams end.
 *
 * @throws HostError as `parseEvent` does
 */
export function typedEvent(
  name: string,
  data: string,
  identity: ModelIdentity,
): { readonly type: string; readonly event: Readonly<Record<string, unknown>> } | undefined {
  if (data.trim() === "" || data.startsWith("[DONE]")) return undefined;
  const event = parseEvent(name, data, identity);
  if (!isJsonObject(event)) return undefined;
  return { type: typeof event["type"] === "string" ? event["type"] : name, event };
}
