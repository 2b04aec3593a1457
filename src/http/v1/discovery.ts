import { enabledToolsets } from "../../core/index.ts";
import type { HttpApp } from "../server/context.ts";
import { HttpError } from "../server/http-error.ts";
import type { ApiContext } from "../turns/api-context.ts";

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
export function discoveryRoutes(app: HttpApp, api: ApiContext, { since, skills }: DiscoveryOptions): void {
  const { modelName, corsOrigins, reasoning } = api.settings;
  const listed = modelEntry(modelName, since);
  app.get("/v1/models", (c) => c.json({ object: "list", data: [listed] }));
  app.get("/v1/models/:model", (c) => {
    const asked = c.req.param("model");
    if (asked === modelName) return c.json(listed);
    throw new HttpError(
      404,
      `There is no model ${JSON.stringify(asked)} here; the agent is listed as ${modelName}.`,
      {
        code: "model_not_found",
        param: "model",
      },
    );
  });
  app.get("/v1/capabilities", (c) =>
    c.json(capabilities(modelName, { cors: corsOrigins.length > 0, reasoning })),
  );
  app.get("/v1/skills", async (c) => c.json(await skills()));
  app.get("/v1/toolsets", (c) => c.json(toolsets(api)));
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

function toolsets({ host }: ApiContext) {
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
  responses_api: true,
  responses_streaming: true,
  responses_background: true,
  run_submission: true,
  run_status: true,
  run_events_sse: true,
  run_stop: true,
  run_approval: true,
  run_approval_response: true,
  run_steer: true,
  runs_idempotency: true,
  approval_events: true,
  tool_progress_events: true,
  session_resources: true,
  session_chat: true,
  session_chat_streaming: true,
  session_fork: true,
  session_model_lock: true,
  model_options: true,
  skills_api: true,
  admin_config_rw: false,
  jobs_admin: false,
  memory_write_api: false,
  audio_api: false,
  realtime_voice: false,
} as const;

const ENDPOINTS = {
  health: ["GET", "/health"],
  health_detailed: ["GET", "/health/detailed"],
  metrics: ["GET", "/metrics"],
  openapi: ["GET", "/v1/openapi.json"],
  models: ["GET", "/v1/models"],
  chat_completions: ["POST", "/v1/chat/completions"],
  responses: ["POST", "/v1/responses"],
  response: ["GET", "/v1/responses/{response_id}"],
  response_delete: ["DELETE", "/v1/responses/{response_id}"],
  response_cancel: ["POST", "/v1/responses/{response_id}/cancel"],
  response_input_items: ["GET", "/v1/responses/{response_id}/input_items"],
  runs: ["POST", "/v1/runs"],
  run_list: ["GET", "/v1/runs"],
  run_status: ["GET", "/v1/runs/{run_id}"],
  run_events: ["GET", "/v1/runs/{run_id}/events"],
  run_approval: ["POST", "/v1/runs/{run_id}/approval"],
  run_stop: ["POST", "/v1/runs/{run_id}/stop"],
  run_steer: ["POST", "/v1/runs/{run_id}/steer"],
  sessions: ["GET", "/api/sessions"],
  session_create: ["POST", "/api/sessions"],
  session: ["GET", "/api/sessions/{session_id}"],
  session_update: ["PATCH", "/api/sessions/{session_id}"],
  session_delete: ["DELETE", "/api/sessions/{session_id}"],
  session_messages: ["GET", "/api/sessions/{session_id}/messages"],
  session_fork: ["POST", "/api/sessions/{session_id}/fork"],
  session_chat: ["POST", "/api/sessions/{session_id}/chat"],
  session_chat_stream: ["POST", "/api/sessions/{session_id}/chat/stream"],
  skills: ["GET", "/v1/skills"],
  toolsets: ["GET", "/v1/toolsets"],
} as const;

function capabilities(
  model: string,
  { cors, reasoning }: { readonly cors: boolean; readonly reasoning: boolean },
) {
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
    features: { ...FEATURES, cors, reasoning_streaming: reasoning },
    endpoints: Object.fromEntries(
      Object.entries(ENDPOINTS).map(([name, [method, path]]) => [name, { method, path }]),
    ),
    session_key_header: "X-Agent-Session-Key",
    session_continuity_header: "X-Agent-Session-Id",
  };
}
