import { z } from "zod";
import { method, sessionMethod } from "./method.ts";
import { Skin } from "./skin.ts";
import { SessionInfo } from "./session-info.ts";
import { named } from "./shapes.ts";

const optionalSession = { session_id: z.string().optional() };

const ToolsetWire = named(
  "Toolset",
  z.object({
    name: z.string(),
    label: z.string(),
    description: z.string(),
    tools: z.array(z.string()),
    enabled: z.boolean(),
    configured: z.boolean(),
    remedy: z.string().optional(),
  }),
);

const ProviderWire = named(
  "Provider",
  z.object({
    slug: z.string(),
    name: z.string(),
    is_current: z.boolean(),
    is_user_defined: z.boolean(),
    models: z.array(z.string()),
    total_models: z.number(),
    source: z.string(),
    authenticated: z.boolean(),
    auth_type: z.string(),
    key_env: z.string(),
    warning: z.string().optional(),
  }),
);

/** Changing how sessions work and how clients look. */
export const SETTING_METHODS = {
  "config.set": sessionMethod({
    summary: "Changes a setting; which ones there are stands in the guide.",
    params: z.object({
      key: z.string().min(1),
      value: z.unknown().optional(),
      ...optionalSession,
      scope: z.enum(["session", "global"]).optional(),
      confirm_expensive_model: z.boolean().default(false),
    }),
    result: z.object({
      key: z.string(),
      value: z.string(),
      scope: z.string().optional(),
      warning: z.string().optional(),
      confirm_required: z.boolean().optional(),
      confirm_message: z.string().optional(),
      cwd: z.string().optional(),
      branch: z.string().optional(),
      history_reset: z.boolean().optional(),
      info: SessionInfo.optional(),
    }),
    codes: { invalid_params: 4002, model_unknown: 5001, model_not_configured: 5001 },
    about: "value",
    wrong: { key: 4002 },
  }),
  "config.get": sessionMethod({
    summary: "Shows a setting. `full` is the whole configuration, secrets masked.",
    params: z.object({ key: z.string().min(1), ...optionalSession, cwd: z.string().optional() }),
    result: z.object({
      value: z.string().optional(),
      display: z.string().optional(),
      config: z.record(z.string(), z.unknown()).optional(),
      mtime: z.number().optional(),
      home: z.string().optional(),
      cwd: z.string().optional(),
      branch: z.string().optional(),
      model: z.string().optional(),
      provider: z.string().optional(),
      providers: z.array(z.string()).optional(),
      prompt: z.string().optional(),
      choices: z.array(z.string()).optional(),
      /** Of `skin`: how each of the choices looks. */
      skins: z.array(Skin).optional(),
    }),
    codes: { invalid_params: 4002 },
    wrong: { key: 4002 },
  }),
  "model.options": sessionMethod({
    summary: "The models that can be chosen, by provider.",
    params: z.object({ ...optionalSession, refresh: z.boolean().default(false) }),
    result: z.object({ model: z.string(), provider: z.string(), providers: z.array(ProviderWire) }),
    codes: { internal: 5033 },
  }),
  "toolsets.list": sessionMethod({
    summary: "The toolsets that a session may have, and which of them it has.",
    params: z.object(optionalSession),
    result: z.object({ toolsets: z.array(ToolsetWire) }),
  }),
  "tools.configure": sessionMethod({
    summary: "Switches toolsets on or off: for one session, or without one for all new ones.",
    params: z.object({
      action: z.enum(["enable", "disable"]),
      names: z.array(z.string()).min(1),
      ...optionalSession,
    }),
    result: z.object({
      changed: z.array(z.string()),
      enabled_toolsets: z.array(z.string()),
      info: SessionInfo.nullable(),
      missing_servers: z.array(z.string()),
      reset: z.boolean(),
      unknown: z.array(z.string()),
    }),
    wrong: { action: 4017, names: 4018 },
  }),
  "reload.mcp": sessionMethod({
    summary: "Connects the MCP servers anew.",
    params: z.object({
      ...optionalSession,
      confirm: z.boolean().default(false),
      always: z.boolean().default(false),
    }),
    result: z.object({ status: z.enum(["reloaded", "confirm_required"]), message: z.string().optional() }),
    codes: { internal: 5015 },
  }),
  "reload.env": method({
    summary: "Reads the environment file again; `updated` variables are new or have other values.",
    params: z.object({}),
    result: z.object({ updated: z.number() }),
    codes: { config_invalid: 5015 },
  }),
} as const;
