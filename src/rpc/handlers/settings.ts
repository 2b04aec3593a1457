import type { SETTING_METHODS } from "../protocol/settings.ts";
import { type HandlerContext, type HandlersOf, invalidParam } from "./handler.ts";
import { modelOptions } from "./model-options.ts";
import { type SettingContext, valueAt } from "./settings/setting.ts";
import { settingOf } from "./settings/table.ts";
import { configureTools, listToolsets } from "./toolsets.ts";

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

  "model.options": modelOptions,
  "toolsets.list": listToolsets,
  "tools.configure": configureTools,

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
      throw invalidParam("value", "The value of a setting is a word.");
  }
}
