import type { Endpoint } from "./endpoint.ts";
import type { Answer, Transport } from "./transport.ts";

export interface EndpointAccess {
  readonly endpoint: Endpoint;
  readonly transport: Transport;
  /** Asked before each request; `undefined` sends none. */
  readonly credential: () => Promise<string | undefined>;
}

/** Posts JSON text to a path of an endpoint. */
export type Post = (path: string, body: string, signal: AbortSignal) => Promise<Answer>;

/**
 * Makes the one request that the chat dialect needs. Written out, not left to the vendor's package: on its way a
 * prompt would wait for that package's code several times longer than for everything else that the host does with it.
 */
export function jsonPost({ endpoint, transport, credential }: EndpointAccess): Post {
  const query = new URLSearchParams(endpoint.query).toString();
  return async (path, body, signal) => {
    const key = await credential();
    return await transport.send({
      method: "POST",
      url: `${endpoint.baseUrl}${path}${query === "" ? "" : `?${query}`}`,
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "user-agent": "agent-host",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        // Older paths of the cloud service know only this one.
        ...(endpoint.cloud && key !== undefined ? { "api-key": key } : {}),
      },
      body,
      signal,
    });
  };
}
