import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";

/** What the kit leaves with a request for those who answer it. */
export interface ApiEnv {
  /** Absent where a test asks without a socket. */
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: { readonly requestId: string };
}

export type ApiContext = Context<ApiEnv>;
export type ApiApp = Hono<ApiEnv>;
