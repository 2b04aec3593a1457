import type { GatewayContext } from "../../gateway/gateway-context.ts";

/** Finds the folder of a session; without one, that of a new one. */
export async function folderOf(gateway: GatewayContext, sessionId: string | undefined): Promise<string> {
  const session = sessionId === undefined ? undefined : await gateway.session(sessionId);
  return session?.state.cwd || gateway.newSessionCwd();
}
