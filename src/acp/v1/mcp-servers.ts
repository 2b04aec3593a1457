import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import { invalidParam } from "../connection/request-error.ts";
import type { McpServerSpec } from "../ports.ts";

/** A pair of strings, as a client writes headers and variables. */
interface Pair {
  readonly name: string;
  readonly value: string;
}

/** An MCP server that is reached at an address, as a client writes it. */
type HttpServer = Omit<Extract<McpServerSpec, { readonly url: string }>, "headers"> & {
  readonly headers: readonly Pair[];
};

/** Reads servers. @throws HostError `invalid_params` for one that can only be reached through the client */
export function mcpServerSpecs(servers: readonly McpServer[] = []): readonly McpServerSpec[] {
  return servers.map((server, index): McpServerSpec => {
    const { name } = server;
    if (!("type" in server)) {
      const { command, args, env } = server;
      return { type: "stdio", name, command, args, env: record(env) };
    }
    if (server.type === "acp") throw invalidParam(`mcpServers.${index}`, "servers of type acp are not taken");
    return httpServer(server, index);
  });
}

/** Reads a server at an address. @throws HostError `invalid_params` for an address that is none */
export function httpServer({ type, name, url, headers }: HttpServer, index: number): McpServerSpec {
  if (!URL.canParse(url)) throw invalidParam(`mcpServers.${index}.url`, "it is no address");
  return { type, name, url, headers: record(headers) };
}

export const record = (pairs: readonly Pair[]): Readonly<Record<string, string>> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
