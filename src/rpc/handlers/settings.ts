import {
  configuredToolsets,
  enabledToolsets,
  type ModelListing,
  type Session,
  type Toolset,
} from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { modelOf, sessionInfo } from "../encode/session-info.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { Result } from "../protocol/methods.ts";
import type { SETTING_METHODS } from "../protocol/settings.ts";
import { type HandlerContext, type HandlersOf, paramError } from "./handler.ts";
import { type SettingContext, valueAt } from "./settings/setting.ts";
import { settingOf } from "./settings/table.ts";

export const SETTING_HANDLERS: HandlersOf<typeof SETTING_METHODS> = {
  async "config.set"(params, context) {
    const set = settingOf(params.key, "set");
    const asking = await askingFor(params.session_id, context);
    return { key: params.key, ...(await set(wordsOf(params.value), asking, params)) };
  },

  async "config.get"(params, context) {
    const get = settingOf(params.key, "get");
    return await get(await askingFor(params.session_id, context), params);
  },

  async "model.options"({ session_id }, { gateway, signal }) {
    const session = session_id === undefined ? undefined : await gateway.session(session_id);
    const { model } = modelOf(gateway, session?.state ?? { settings: {} });
    const models = gateway.host.services.models();
    const byProvider = Map.groupBy(await models.list(signal), ({ provider }) => provider);
    const providers = [...byProvider].map(([slug, listed]) => {
      const problem = problemOf(() => models.resolve({ provider: slug, model: listed[0]?.model ?? "" }));
      return providerRow(slug, listed, { current: slug === model?.provider, problem });
    });
    return { model: model?.name ?? "", provider: model?.provider ?? "", providers };
  },

  async "toolsets.list"({ session_id }, { gateway }) {
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
  },

  async "tools.configure"({ action, names, session_id }, { gateway }) {
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
  },

  async "reload.mcp"({ session_id, confirm, always }, { gateway, signal }) {
    if (session_id !== undefined) await gateway.session(session_id);
    const { mcp, config } = gateway.ports;
    const servers = mcp?.servers() ?? [];
    const ask = valueAt(config.values(), ["mcp", "confirm_reload"]) !== false;
    if (always) await config.change([[["mcp", "confirm_reload"], false]]);
    if (servers.length > 0 && ask && !confirm && !always) {
      const message = `This connects ${servers.length} MCP server${servers.length === 1 ? "" : "s"} anew; calls that run go on. Send it again with confirm.`;
      return { status: "confirm_required", message };
    }
    await mcp?.reload(signal);
    gateway.showInfo();
    return { status: "reloaded" };
  },

  async "reload.env"(_params, { gateway }) {
    const updated = await gateway.ports.environment.reload();
    if (updated > 0) gateway.showInfo();
    return { updated };
  },
};

async function askingFor(sessionId: string | undefined, context: HandlerContext): Promise<SettingContext> {
  const session = sessionId === undefined ? undefined : await context.gateway.session(sessionId);
  const opened = session && context.gateway.sessions.get(session.id);
  return { ...context, session, opened };
}

/** Clients send words, switches and numbers for the same. */
function wordsOf(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
      return value ? "on" : "off";
    case "number":
      return String(value);
    case "undefined":
      return "";
    default:
      throw paramError("value", "The value of a setting is a word.");
  }
}

function providerRow(
  slug: string,
  listed: readonly ModelListing[],
  { current, problem }: { readonly current: boolean; readonly problem: string | undefined },
): Result<"model.options">["providers"][number] {
  return {
    slug,
    name: slug,
    is_current: current,
    is_user_defined: slug !== "demo",
    models: listed.map(({ model }) => model),
    total_models: listed.length,
    source: slug === "demo" ? "built-in" : "config",
    authenticated: problem === undefined,
    auth_type: slug === "demo" ? "none" : "api_key",
    key_env: "",
    ...defined({ warning: problem }),
  };
}

function problemOf(use: () => unknown): string | undefined {
  try {
    use();
    return undefined;
  } catch (thrown) {
    return toHostError(thrown).message;
  }
}

/** Finds the toolsets that could be on, and those that are; without a session, those of a new one of this surface. */
function toolsetsOf(
  { host }: GatewayContext,
  session: Session | undefined,
): { readonly possible: readonly Toolset[]; readonly enabled: readonly Toolset[] } {
  const { services } = host;
  const platform = session?.state.platform ?? "tui";
  const configured = configuredToolsets(services.policy(), session?.state ?? { platform, source: platform });
  const all = services.toolsets();
  // Without a session the owner's own choice is what changes: everything there is can be on.
  const possible = session === undefined ? all : enabledToolsets(all, platform, { configured });
  const choice = { configured, session: session?.state.settings.toolsets };
  return { possible, enabled: enabledToolsets(all, platform, choice) };
}

const without = (names: readonly string[], others: readonly string[]): string[] =>
  names.filter((name) => !others.includes(name));
