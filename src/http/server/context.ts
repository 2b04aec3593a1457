import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { HttpError } from "./http-error.ts";

/** What the kit leaves with a request for those who answer it. */
export interface HttpEnv {
  /** Absent where a test asks without a socket. */
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: {
    readonly requestId: string;
    /** Why the request is not carried out, for the log. */
    readonly error?: HttpError;
  };
}

export type HttpContext = Context<HttpEnv>;
export type HttpApp = Hono<HttpEnv>;
