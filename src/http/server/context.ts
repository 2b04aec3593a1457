import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { Refusal } from "./refusal.ts";

/** What the kit leaves with a request for those who answer it. */
export interface ApiEnv {
  /** Absent where a test asks without a socket. */
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: {
    readonly requestId: string;
    /** Why the request is not carried out, for the log. */
    readonly refusal?: Refusal;
  };
}

export type ApiContext = Context<ApiEnv>;
export type ApiApp = Hono<ApiEnv>;
