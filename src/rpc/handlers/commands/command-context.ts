import type { CommandContext, Session } from "../../../core/index.ts";
import type { HandlerContext } from "../handler.ts";

/** What slash commands of this connection work with. */
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
