import type { Dispatcher } from "undici";

/** No time limits: a fetch has its own, and a stream of messages may be silent for as long as it likes. */
export const CONNECTION = { maxHeaderSize: 64 * 1024, headersTimeout: 0, bodyTimeout: 0 };
/** Milliseconds to reach a host. */
export const TO_HOST = { timeout: 10_000 };

/** A connection through a proxy, which looks names up by itself. */
export async function proxyAgent(uri: string): Promise<Dispatcher> {
  const { ProxyAgent } = await import("undici");
  return new ProxyAgent({ ...CONNECTION, uri, proxyTls: TO_HOST, requestTls: TO_HOST });
}
