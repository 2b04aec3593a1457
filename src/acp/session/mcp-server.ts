import { HostError } from "../../shared/errors/host-error.ts";
import type { McpServerSpec } from "../ports.ts";

interface Pair {
  readonly name: string;
  readonly value: string;
}

interface HttpServer {
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  readonly headers: readonly Pair[];
}

/** A server at an address, in the host's words. @throws HostError `invalid_params` for an address that is none */
export function httpServer({ type, name, url, headers }: HttpServer, index: number): McpServerSpec {
  if (!URL.canParse(url))
    throw new HostError("invalid_params", `Invalid params: mcpServers.${index}.url: it is no address.`);
  return { type, name, url, headers: record(headers) };
}

export const record = (pairs: readonly Pair[]): Readonly<Record<string, string>> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
