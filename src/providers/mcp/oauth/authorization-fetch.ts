import type { WebFetch } from "../server-web.ts";

/** Characters of an answer of a service that gives tokens. */
const LARGEST = 1024 * 1024;
/** Milliseconds for one request: who waits for it may hold up other processes. */
const LONGEST_MS = 8000;

/** Makes requests of the protocol's library fit for a guarded way out: forms become text, and answers have a bound. */
export function authorizationFetch(fetch: WebFetch, signal?: AbortSignal): WebFetch {
  return async (url, init = {}) => {
    const late = AbortSignal.timeout(LONGEST_MS);
    const body = init.body instanceof URLSearchParams ? init.body.toString() : init.body;
    const answer = await fetch(url, {
      ...init,
      ...(body === undefined ? {} : { body }),
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    });
    const { status, statusText, headers } = answer;
    const text = answer.body === null ? null : await readBounded(answer.body);
    return Object.defineProperty(new Response(text, { status, statusText, headers }), "url", {
      value: answer.url,
    });
  };
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LARGEST) throw new Error("its answer has more than 1 MB");
  }
  return text + decoder.decode();
}
