import { z } from "zod";
import { later } from "../../../shared/memo/later.ts";
import type { ServerWeb } from "../server-web.ts";

/** A login at a server: the tokens, and what is needed to renew them. It is kept as it stands here. */
export const mcpLogin = later(() =>
  z.object({
    /** The server's address: the tokens go nowhere else. */
    url: z.string(),
    /** The service that gave the tokens, with the metadata that it had then. */
    issuer: z.string(),
    metadata: z.looseObject({ issuer: z.string(), token_endpoint: z.string() }),
    resource: z.string().optional(),
    clientId: z.string(),
    clientSecret: z.string().optional(),
    accessToken: z.string(),
    refreshToken: z.string().optional(),
    /** Unix milliseconds; absent when the service did not say. */
    expiresAt: z.number().optional(),
  }),
);

/** A login at a server, as it was read. */
export type McpLogin = z.output<ReturnType<typeof mcpLogin>>;

/** The keeper of the login at one server, for all processes of the home. */
export interface McpLoginStore {
  /** The login as it is now; `undefined` when there is none for the server's address. */
  read(): McpLogin | undefined;
  /**
   * Puts what `change` makes of the login in its place; `undefined` removes it. No other process changes one meanwhile.
   *
   * @throws HostError `timeout` when another process holds it for too long; what `change` throws
   */
  change(
    change: (login: McpLogin | undefined) => Promise<McpLogin | undefined>,
  ): Promise<McpLogin | undefined>;
}

/** The parts that a login at a server uses. */
export interface McpLoginPorts {
  readonly store: McpLoginStore;
  /** Opens a way to the service that gives tokens. It carries nothing of the server's own settings. */
  readonly web: () => ServerWeb;
}
