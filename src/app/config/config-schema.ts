import { z } from "zod";
import { isHostEntry } from "../../providers/fetch/allowed-hosts.ts";
import { SEARCH_PROVIDERS } from "../../providers/web/index.ts";
import { checkedByReader, COUNT, key, NAMES, openBlock, PORT, SECONDS } from "./block.ts";
import { CHECKPOINTS_BLOCK } from "./checkpoints.ts";
import {
  AGENT_BLOCK,
  DISPLAY_BLOCK,
  PEOPLE_BLOCK,
  PERSONALITIES_BLOCK,
  QUICK_COMMANDS_BLOCK,
  SKINS_BLOCK,
} from "./client-blocks.ts";
import { CLUSTER_BLOCK } from "./cluster.ts";
import { DETACHED_BLOCK } from "./detached.ts";
import { FLEET_BLOCK } from "./fleet.ts";
import { DASHBOARD_BLOCK, DEPLOYMENT_BLOCK } from "./dashboard.ts";
import { FRONT_BLOCK } from "./front.ts";
import { JOBS_BLOCK } from "./jobs.ts";
import { McpServersBlock } from "./mcp-servers.ts";
import { CONTAINER_BLOCK } from "./container.ts";
import { PERSONAS_BLOCK } from "./personas.ts";
import { STORE_BLOCK } from "./store.ts";
import { SANDBOX_BLOCK, TERMINAL_BLOCK } from "./terminal.ts";
import { UPDATES_BLOCK } from "./updates.ts";
import { POLICY_BLOCKS } from "./policy.ts";

const list = z.union([z.string(), NAMES]);

/** The block `platforms.api_server`. */
export const API_SERVER_BLOCK = z.looseObject({
  enabled: key(z.boolean(), "Switches the API server on.", false),
  extra: z
    .looseObject({
      host: key(z.string(), "Address where it listens.", "127.0.0.1"),
      persona: key(z.string(), "Persona of its sessions."),
      port: key(PORT, "Port where it listens.", 8642),
      cors_origins: key(list, "Web pages that may call it, and connect to the gateway's WebSocket."),
      model_name: key(z.string(), "Name of the agent as a model; the profile by default."),
      allowed_hosts: key(list, "Names of this server besides those of the machine."),
      max_body_bytes: key(COUNT, "Largest body of a request.", 10_000_000),
      disconnect_grace: key(SECONDS, "Seconds that a turn goes on when its reader left.", 30),
      reasoning: key(z.boolean(), "Show the model's reasoning.", false),
      tool_items: key(
        z.enum(["auto", "function_call", "mcp_call"]),
        "How responses show the calls of tools.",
        "auto",
      ),
    })
    .optional(),
});

const HOST_ENTRY = "It is no host, host:port, address or network such as 192.168.1.0/24";
const hostEntry = z.string().refine(isHostEntry, { error: HOST_ENTRY });

/** All keys of `config.yaml`. Unknown keys are left alone. */
export const CONFIG_FILE = z.looseObject({
  ...POLICY_BLOCKS,
  profile: key(z.string(), "Name of this agent.", "default"),
  skills: z
    .looseObject({
      folders: key(NAMES, "More folders with skills.", []),
      disabled: key(NAMES, "Skills that are switched off.", []),
    })
    .optional(),
  memory: z
    .looseObject({
      characters: key(z.int().min(0), "Most characters of the agent's memory.", 3000),
      user_characters: key(z.int().min(0), "Most characters of the memory of the user.", 1500),
    })
    .optional(),
  gateway: z
    .looseObject({
      allowed_hosts: checkedByReader("Names of this server besides those of the machine: a list."),
      allowed_origins: checkedByReader("Web pages that may use its WebSocket and the API: a list."),
      drain_timeout: key(SECONDS, "Seconds that running turns get at the end.", 30),
      api_server: z
        .looseObject({
          max_concurrent_runs: key(
            z.int(),
            "Turns at once over HTTP; by default as many as the memory is for, 100 to 1000.",
            100,
          ),
          max_queued_runs: key(
            z.int().min(0),
            "Turns that wait until one ends; more are refused. 0 where `max_concurrent_runs` is set.",
            1000,
          ),
        })
        .optional(),
    })
    .optional(),
  platforms: openBlock(
    z.looseObject({ api_server: API_SERVER_BLOCK.optional(), dashboard: DASHBOARD_BLOCK.optional() }),
  ).optional(),
  deployment: DEPLOYMENT_BLOCK.optional(),
  web: z
    .looseObject({
      private_hosts: key(z.array(hostEntry), "Private hosts that the agent may read.", []),
      search: z
        .looseObject({
          provider: key(z.enum(SEARCH_PROVIDERS), "The engine that the web is searched with."),
          url: key(z.string(), "Its address, where it is not the vendor's."),
          key_env: key(z.string(), "The variable that holds its key."),
        })
        .optional(),
    })
    .optional(),
  webhooks: z
    .looseObject({
      private_hosts: key(z.array(hostEntry), "Private hosts that events may be sent to.", []),
    })
    .optional(),
  mcp_servers: key(McpServersBlock, "Servers of the Model Context Protocol, by name."),
  mcp: z
    .looseObject({ confirm_reload: key(z.boolean(), "Ask before all servers are connected anew.", true) })
    .optional(),
  trust: z
    .looseObject({
      new_folders: key(
        z.enum(["untrusted", "trusted"]),
        "Whether AGENTS.md and skills are read of folders that nobody has decided about.",
        "untrusted",
      ),
    })
    .optional(),
  store: STORE_BLOCK.optional(),
  agent: AGENT_BLOCK.optional(),
  cluster: checkedByReader("Machines that work together over one database.", CLUSTER_BLOCK),
  checkpoints: checkedByReader("The way back: files as they were before each turn.", CHECKPOINTS_BLOCK),
  detached: checkedByReader("Processes that go on when their terminal was left.", DETACHED_BLOCK),
  display: DISPLAY_BLOCK.optional(),
  fleet: checkedByReader("The fleet to which this gateway reports.", FLEET_BLOCK),
  front: checkedByReader("The address of a deployment.", FRONT_BLOCK),
  jobs: checkedByReader("Prompts that run on a schedule.", JOBS_BLOCK),
  model: checkedByReader("The model and its providers."),
  people: PEOPLE_BLOCK.optional(),
  personas: key(PERSONAS_BLOCK, "Personas that can be chosen by name."),
  personalities: key(PERSONALITIES_BLOCK, "Instructions that can be chosen by name."),
  quick_commands: key(QUICK_COMMANDS_BLOCK, "Slash commands of the owner, by name."),
  skins: key(SKINS_BLOCK, "Colours and words of the clients, by name."),
  terminal: TERMINAL_BLOCK.optional(),
  updates: UPDATES_BLOCK.optional(),
  sandbox: SANDBOX_BLOCK.optional(),
  container: CONTAINER_BLOCK.optional(),
  timezone: checkedByReader("The zone in which schedules are meant; that of the machine by default."),
});

/** The checked values of `config.yaml`. */
export type ConfigBlocks = z.output<typeof CONFIG_FILE>;
