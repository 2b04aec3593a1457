import type { Clock } from "../../../shared/async/clock.ts";
import { Deadline } from "../../../shared/async/deadline.ts";
import { defined } from "../../../shared/json/defined.ts";
import { ByteSource } from "./byte-source.ts";
import type { Headers } from "./credential.ts";
import { type Endpoint, requestUrl } from "./endpoint.ts";
import type { HttpTransport } from "./http-transport.ts";

/** A question to an endpoint that has a short answer; a body makes it a POST. */
export interface JsonQuestion {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: unknown;
}

/** The status of an answer, and its body as parsed JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Milliseconds that a question may take. */
export const QUESTION_MS = 6000;
const LONGEST_ANSWER = 1024 * 1024;
const LONGEST_REFUSAL = 64 * 1024;

/** Asks an endpoint; `undefined` when nothing answers with JSON within 6 s. */
export async function askJson(
  { endpoint, path, headers, body }: JsonQuestion,
  {
    transport,
    ...limits
  }: { readonly transport: HttpTransport; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<JsonAnswer | undefined> {
  using deadline = new Deadline({ ...limits, ms: QUESTION_MS });
  try {
    const response = await transport.send({
      method: body === undefined ? "GET" : "POST",
      url: requestUrl(endpoint, path),
      headers: { accept: "application/json", ...headers },
      ...defined({ body: body === undefined ? undefined : JSON.stringify(body) }),
      signal: deadline.signal,
    });
    const limit = response.status === 200 ? LONGEST_ANSWER : LONGEST_REFUSAL;
    const text = new TextDecoder().decode(await new ByteSource(response.body).readUpTo(limit));
    return { status: response.status, body: JSON.parse(text) as unknown };
  } catch {
    // Nothing is there, it is too late, or the answer is no JSON: no answer of a model endpoint.
    return undefined;
  }
}
