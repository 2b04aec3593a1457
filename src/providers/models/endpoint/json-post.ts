import type { Endpoint } from "./endpoint.ts";
import type { HttpResponse, HttpTransport } from "./http-transport.ts";

type Headers = Readonly<Record<string, string>>;

/** One request to an endpoint. */
export interface JsonRequest {
  readonly path: string;
  readonly headers: Headers;
  /** JSON text. */
  readonly body: string;
  readonly signal: AbortSignal;
}

/**
 * Posts JSON text to a path of an endpoint. Written out, not left to the vendors' packages: on its way a prompt would
 * wait for their code several times longer than for everything else that the host does with it.
 */
export async function postJson(
  transport: HttpTransport,
  endpoint: Endpoint,
  { path, headers, body, signal }: JsonRequest,
): Promise<HttpResponse> {
  const query = new URLSearchParams(endpoint.query).toString();
  return await transport.send({
    method: "POST",
    url: `${endpoint.baseUrl}${path}${query === "" ? "" : `?${query}`}`,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "user-agent": "agent-host",
      ...headers,
    },
    body,
    signal,
  });
}
