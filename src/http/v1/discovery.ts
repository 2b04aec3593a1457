import { enabledToolsets } from "../../core/index.ts";
import { type ApiRoute, route } from "../server/api-route.ts";
import { HttpError } from "../server/http-error.ts";
import type { ApiContext } from "../turns/api-context.ts";
import type { ApiSettings } from "../turns/settings.ts";
import { readChatSuffix } from "../turns/model-choice.ts";
import { personaNames, modelOfPersona, personaIn } from "../turns/persona-choice.ts";

/** A skill as lists show it. */
export interface SkillEntry {
  readonly name: string;
  readonly description: string;
  readonly category: string;
}

/** The facts that discovery tells, beside those of the context. */
export interface DiscoveryOptions {
  /** The start of the agent, in Unix seconds. */
  readonly since: number;
  readonly routes: () => readonly ApiRoute[];
  readonly skills: () => Promise<readonly SkillEntry[]>;
}

/** Declares the routes that clients ask first: which models, features, skills and tools there are. */
export function discoveryRoutes(
  modelName: string,
  options: DiscoveryOptions,
): readonly ApiRoute<ApiContext>[] {
  const listed = {
    id: modelName,
    object: "model",
    created: options.since,
    owned_by: "agent",
    permission: [],
    root: modelName,
    parent: null,
  };
  return [
    route(
      "GET /v1/models",
      async (c, { host }) => {
        const personas = (await personaNames(host)).map(modelOfPersona);
        const others = personas.map((id) => ({ ...listed, id, parent: modelName }));
        return c.json({ object: "list", data: [listed, ...others] });
      },
      {
        id: "listModels",
        summary: "The agent as a model, and with each of its personas",
        endpoint: "models",
      },
    ),
    route(
      "GET /v1/models/{model}",
      async (c, { host }, asked) => {
        const { name } = readChatSuffix(asked, (whole) => whole === modelName);
        if (name === modelName) return c.json({ ...listed, id: asked });
        const personas = await personaNames(host);
        if (personas.includes(personaIn(name) ?? ""))
          return c.json({ ...listed, id: asked, parent: modelName });
        const message = `There is no model ${JSON.stringify(asked)} here; the agent is listed as ${modelName}, and with a persona as persona:<name>.`;
        throw new HttpError(404, message, { code: "model_not_found", param: "model" });
      },
      { id: "getModel", summary: "The agent as a model" },
    ),
    route("GET /v1/capabilities", (c, { settings }) => c.json(capabilities(settings, options.routes())), {
      id: "capabilities",
      summary: "Features and endpoints of this version",
    }),
    route("GET /v1/skills", async (c) => c.json(await options.skills()), {
      id: "listSkills",
      summary: "The agent's skills",
      endpoint: "skills",
    }),
    route("GET /v1/toolsets", (c, api) => c.json(toolsets(api)), {
      id: "listToolsets",
      summary: "The agent's toolsets",
      endpoint: "toolsets",
    }),
  ];
}

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
  memory_write_api: false,
  audio_api: false,
  realtime_voice: false,
} as const;

function capabilities({ modelName, corsOrigins, reasoning }: ApiSettings, routes: readonly ApiRoute[]) {
  const endpoints = Object.fromEntries(
    routes.flatMap(({ endpoint, method, path }) =>
      endpoint === undefined ? [] : [[endpoint, { method, path }]],
    ),
  );
  return {
    object: "agent.api_server.capabilities",
    platform: "agent",
    model: modelName,
    auth: { type: "bearer", required: true },
    runtime: {
      mode: "server_agent",
      tool_execution: "server",
      split_runtime: false,
      description: "The agent and its tools run on the server; sessions outlive connections.",
    },
    features: {
      ...FEATURES,
      jobs_admin: "jobs" in endpoints,
      cors: corsOrigins.length > 0,
      reasoning_streaming: reasoning,
    },
    endpoints,
    session_key_header: "X-Agent-Session-Key",
    session_continuity_header: "X-Agent-Session-Id",
  };
}
