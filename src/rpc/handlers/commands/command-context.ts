import type { CommandContext, Session } from "../../../core/index.ts";
import type { HandlerContext } from "../handler.ts";

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
