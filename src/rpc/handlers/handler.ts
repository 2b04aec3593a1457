import type { z } from "zod";
import type { CommandContext, Session } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
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
  ) => Promise<z.output<Table[M]["result"]>> | z.output<Table[M]["result"]>;
};

/** An error about one parameter. */
export const paramError = (subject: string, message: string): HostError =>
  new HostError("invalid_params", message, { details: { subject } });

/** Makes the context of slash commands of this connection. */
export function commandContext(
  { gateway, connection, signal }: HandlerContext,
  session: Session | undefined,
): CommandContext {
  const { commands } = gateway.ports;
  const cwd = gateway.newSessionCwd();
  return {
    host: gateway.host,
    session,
    from: connection.origin,
    workspace: { cwd, roots: [cwd] },
    signal,
    stopProcesses: (id) => commands.stopProcesses(id),
  };
}
