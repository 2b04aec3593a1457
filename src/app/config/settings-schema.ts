import { z } from "zod";
import { isHostEntry } from "../../providers/fetch/allowed-hosts.ts";
import { SEARCH_PROVIDERS } from "../../providers/web/index.ts";
import { McpServersBlock } from "./mcp-servers.ts";

const seconds = z.number().min(0);
const count = z.int().min(1);
const names = z.array(z.string());

const PLATFORMS = ["cli", "tui", "acp", "api_server", "webhook", "job", "library"] as const;
/** All that there are in any version; `mcp` is every server's, `mcp:<server>` that of one. */
const TOOLSETS = "files, terminal, web, vision, memory, skills, todo, delegate, clarify, mcp";
const toolset = z.string().refine((name) => name.startsWith("mcp:") || TOOLSETS.split(", ").includes(name), {
  error: `There is no such toolset. There are ${TOOLSETS} and mcp:<server>`,
});

const list = z.union([z.string(), names]);

const ApiServerBlock = z.looseObject({
  enabled: z.boolean().optional(),
  extra: z
    .looseObject({
      host: z.string().optional(),
      port: z.int().min(0).max(65_535).optional(),
      cors_origins: list.optional(),
      model_name: z.string().optional(),
      allowed_hosts: list.optional(),
      max_body_bytes: count.optional(),
      disconnect_grace: seconds.optional(),
      reasoning: z.boolean().optional(),
    })
    .optional(),
});

const HOST_ENTRY = "It is no host, host:port, address or network such as 192.168.1.0/24";

/** `config.yaml` without the blocks that have their own readers (`model`). Unknown keys are left alone. */
export const ConfigWire = z.looseObject({
  profile: z.string().optional(),
  approvals: z
    .looseObject({
      // YAML 1.1 readers turn a bare `off` into false; people mean the word.
      mode: z
        .preprocess((mode) => (mode === false ? "off" : mode), z.enum(["manual", "smart", "off"]))
        .optional(),
      timeout: seconds.optional(),
      allowed: names.optional(),
    })
    .optional(),
  questions: z
    .looseObject({
      clarify_timeout: seconds.optional(),
      sudo_timeout: seconds.optional(),
      secret_timeout: seconds.optional(),
      unseen_timeout: seconds.optional(),
      park_timeout: seconds.optional(),
    })
    .optional(),
  limits: z
    .looseObject({
      iterations: count.optional(),
      turn_seconds: seconds.optional(),
      tool_output: count.optional(),
      reply_text: count.optional(),
      session_tokens: z.int().min(0).optional(),
      session_cost: z.number().min(0).optional(),
    })
    .optional(),
  compression: z
    .looseObject({ enabled: z.boolean().optional(), at: z.number().gt(0).max(1).optional() })
    .optional(),
  retries: z.looseObject({ tries: count.optional(), longest_wait: seconds.optional() }).optional(),
  delegation: z
    .looseObject({
      max_depth: z.int().min(0).optional(),
      max_children: count.optional(),
      max_iterations: count.optional(),
      timeout: seconds.optional(),
      answer: count.optional(),
      model: z.string().min(1).optional(),
    })
    .optional(),
  queue: z.looseObject({ hold_after: seconds.optional() }).optional(),
  toolsets: z.partialRecord(z.enum(PLATFORMS), z.array(toolset)).optional(),
  skills: z.looseObject({ folders: names.optional(), disabled: names.optional() }).optional(),
  memory: z
    .looseObject({
      characters: z.int().min(0).optional(),
      user_characters: z.int().min(0).optional(),
    })
    .optional(),
  sessions: z.looseObject({ auto_title: z.boolean().optional() }).optional(),
  gateway: z
    .looseObject({
      drain_timeout: seconds.optional(),
      api_server: z.looseObject({ max_concurrent_runs: z.int().optional() }).optional(),
    })
    .optional(),
  platforms: z.looseObject({ api_server: ApiServerBlock.optional() }).optional(),
  web: z
    .looseObject({
      private_hosts: z.array(z.string().refine(isHostEntry, { error: HOST_ENTRY })).optional(),
      search: z
        .looseObject({
          provider: z.enum(SEARCH_PROVIDERS).optional(),
          url: z.string().optional(),
          key_env: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
  mcp_servers: McpServersBlock.optional(),
  mcp: z.looseObject({ confirm_reload: z.boolean().optional() }).optional(),
  store: z.looseObject({ allow_network_file_system: z.boolean().optional() }).optional(),
});

/** Blocks and values that have readers of their own, in part or as a whole. */
export const READ_ELSEWHERE: readonly string[] = [
  "agent",
  "display",
  "fleet",
  "front",
  "gateway",
  "jobs",
  "model",
  "personalities",
  "platforms",
  "skins",
  "terminal",
  "timezone",
];

export type ConfigBlock = z.output<typeof ConfigWire>;
