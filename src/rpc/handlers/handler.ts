import type { z } from "zod";
import type { Connection } from "../gateway/connection.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { Method } from "../protocol/method.ts";

/** The context of a handler: everything that it may use beside its parameters. */
export interface HandlerContext {
  readonly gateway: GatewayContext;
  readonly connection: Connection;
  /** Aborts when the client cancels its request. */
  readonly signal: AbortSignal;
  /** Runs when the response is on its way. */
  readonly afterResponse: (run: () => void) => void;
}

/** A handler for every row of a table; a row without one is a type error. */
export type HandlersOf<Table extends Readonly<Record<string, Method>>> = {
  readonly [M in keyof Table]: (
    params: z.output<Table[M]["params"]>,
    context: HandlerContext,
  ) => Promise<z.output<Table[M]["result"]>>;
};
