import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { HttpError } from "./http-error.ts";

/** The values that the server keeps with a request for its handlers. */
export interface HttpEnv {
  /** Absent where a test asks without a socket. */
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: {
    readonly requestId: string;
    /** Why the request is not carried out, for the log. */
    readonly error?: HttpError;
  };
}

/** The context of one request. */
export type HttpContext = Context<HttpEnv>;
/** An app whose requests have this context. */
export type HttpApp = Hono<HttpEnv>;
