import type { CommandContext, Session } from "../../core/index.ts";
import type { Context } from "./handler.ts";

/** What slash commands of this connection work with. */
export function commandContext(
  { desk, connection, signal }: Context,
  session: Session | undefined,
): CommandContext {
  const { commands } = desk.ports;
  const cwd = desk.newSessionCwd();
  return {
    host: desk.host,
    session,
    from: connection.origin,
    workspace: { cwd, roots: [cwd] },
    signal,
    stopProcesses: (id) => commands.stopProcesses(id),
  };
}
