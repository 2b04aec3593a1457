import { enabledToolsets } from "../../core/index.ts";
import type { ApiApp } from "../kit/context.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Desk } from "../turns/desk.ts";

/** A skill as lists show it. */
export interface SkillEntry {
  readonly name: string;
  readonly description: string;
  readonly category: string;
}

export interface DiscoveryOptions {
  /** Unix seconds: since when the agent is there. */
  readonly since: number;
  readonly skills: () => Promise<readonly SkillEntry[]>;
}

/** What clients ask before they begin: which models, features, skills and tools there are. */
export function discoveryRoutes(app: ApiApp, desk: Desk, { since, skills }: DiscoveryOptions): void {
  const { modelName, corsOrigins } = desk.settings;
  const listed = modelEntry(modelName, since);
  app.get("/v1/models", (c) => c.json({ object: "list", data: [listed] }));
  app.get("/v1/models/:model", (c) => {
    const asked = c.req.param("model");
    if (asked === modelName) return c.json(listed);
    throw new Refusal(
      404,
      `There is no model ${JSON.stringify(asked)} here; the agent is listed as ${modelName}.`,
      {
        code: "model_not_found",
        param: "model",
      },
    );
  });
  app.get("/v1/capabilities", (c) => c.json(capabilities(modelName, corsOrigins.length > 0)));
  app.get("/v1/skills", async (c) => c.json(await skills()));
  app.get("/v1/toolsets", (c) => c.json(toolsets(desk)));
}

const modelEntry = (id: string, created: number) => ({
  id,
  object: "model",
  created,
  owned_by: "agent",
  permission: [],
  root: id,
  parent: null,
});

function toolsets({ host }: Desk) {
  const all = host.services.toolsets();
  const configured = host.services.policy().toolsets["api_server"];
  const enabled = new Set(enabledToolsets(all, "api_server", { configured }));
  return all.map((set) => ({
    name: set.name,
    label: set.label,
    description: set.description,
    enabled: enabled.has(set),
    configured: set.configured,
    tools: [...new Set(set.tools.map(({ name }) => name))].toSorted(),
  }));
}

const FEATURES = {
  chat_completions: true,
  chat_completions_streaming: true,
  skills_api: true,
  tool_progress_events: true,
} as const;

const ENDPOINTS = {
  health: ["GET", "/health"],
  health_detailed: ["GET", "/health/detailed"],
  models: ["GET", "/v1/models"],
  chat_completions: ["POST", "/v1/chat/completions"],
  skills: ["GET", "/v1/skills"],
  toolsets: ["GET", "/v1/toolsets"],
} as const;

function capabilities(model: string, cors: boolean) {
  return {
    object: "agent.api_server.capabilities",
    platform: "agent",
    model,
    auth: { type: "bearer", required: true },
    runtime: {
      mode: "server_agent",
      tool_execution: "server",
      split_runtime: false,
      description: "The agent and its tools run on the server; sessions outlive connections.",
    },
    features: { ...FEATURES, cors },
    endpoints: Object.fromEntries(
      Object.entries(ENDPOINTS).map(([name, [method, path]]) => [name, { method, path }]),
    ),
    session_key_header: "X-Agent-Session-Key",
    session_continuity_header: "X-Agent-Session-Id",
  };
}
