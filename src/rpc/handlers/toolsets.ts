import { enabledToolsets, type Session, type Toolset } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { sessionInfo } from "../encode/session-info.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { Params, Result } from "../protocol/methods.ts";
import type { HandlerContext } from "./handler.ts";

/** `toolsets.list`: the toolsets that a session may have, and those that it has. */
export async function listToolsets(
  { session_id }: Params<"toolsets.list">,
  { gateway }: HandlerContext,
): Promise<Result<"toolsets.list">> {
  const session = session_id === undefined ? undefined : await gateway.session(session_id);
  const { possible, enabled } = toolsetsOf(gateway, session);
  return {
    toolsets: possible.map((set) => ({
      name: set.name,
      label: set.label,
      description: set.description,
      tools: set.tools.map(({ name }) => name),
      enabled: enabled.includes(set),
      configured: set.configured,
      ...defined({ remedy: set.remedy }),
    })),
  };
}

/** `tools.configure`: switches toolsets for a session, or for all new ones of this surface. */
export async function configureTools(
  { action, names, session_id }: Params<"tools.configure">,
  { gateway }: HandlerContext,
): Promise<Result<"tools.configure">> {
  const session = session_id === undefined ? undefined : await gateway.session(session_id);
  const { possible, enabled } = toolsetsOf(gateway, session);
  const known = possible.map(({ name }) => name);
  const meant = names.filter((name) => known.includes(name));
  const before = enabled.map(({ name }) => name);
  const after =
    action === "enable"
      ? known.filter((name) => [...before, ...meant].includes(name))
      : without(before, meant);
  const changed = meant.filter((name) => before.includes(name) !== after.includes(name));
  if (changed.length > 0) {
    if (session === undefined) await gateway.ports.config.change([[["toolsets", "tui"], after]]);
    else await session.set({ toolsets: after });
  }
  const unknown = without(names, known);
  return {
    changed,
    enabled_toolsets: after,
    info: session === undefined ? null : await sessionInfo(gateway, session),
    missing_servers: unknown.filter((name) => name.startsWith("mcp:")),
    reset: false,
    unknown,
  };
}

/** Finds the toolsets that could be on, and those that are; without a session, those of a new one of this surface. */
function toolsetsOf(
  { host }: GatewayContext,
  session: Session | undefined,
): { readonly possible: readonly Toolset[]; readonly enabled: readonly Toolset[] } {
  const { services } = host;
  const platform = session?.state.platform ?? "tui";
  const configured = services.policy().toolsets[platform];
  const all = services.toolsets();
  // Without a session the owner's own choice is what changes: everything there is can be on.
  const possible = session === undefined ? all : enabledToolsets(all, platform, { configured });
  const choice = { configured, session: session?.state.settings.toolsets };
  return { possible, enabled: enabledToolsets(all, platform, choice) };
}

const without = (names: readonly string[], others: readonly string[]): string[] =>
  names.filter((name) => !others.includes(name));
