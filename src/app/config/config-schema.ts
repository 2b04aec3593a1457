import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { isHostEntry } from "../../providers/fetch/allowed-hosts.ts";
import { SEARCH_PROVIDERS } from "../../providers/web/index.ts";
import { checkedByReader, COUNT, key, NAMES, openBlock, PORT, SECONDS } from "./block.ts";
import { checkpointsBlock } from "./checkpoints.ts";
import {
  agentBlock,
  displayBlock,
  peopleBlock,
  personalitiesBlock,
  quickCommandsBlock,
  skinsBlock,
} from "./client-blocks.ts";
import { clusterBlock } from "./cluster.ts";
import { detachedBlock } from "./detached.ts";
import { fleetBlock } from "./fleet.ts";
import { dashboardBlock, deploymentBlock } from "./dashboard.ts";
import { frontBlock } from "./front.ts";
import { jobsBlock } from "./jobs.ts";
import { mcpServersBlock } from "./mcp-servers.ts";
import { containerBlock } from "./container.ts";
import { personasBlock } from "./personas.ts";
import { storeBlock } from "./store.ts";
import { sandboxBlock, terminalBlock } from "./terminal.ts";
import { updatesBlock } from "./updates.ts";
import { POLICY_KEYS } from "./policy.ts";

const list = () => z.union([z.string(), NAMES]);

/** The block `platforms.api_server`. */
export const apiServerBlock = later(() =>
  z.looseObject({
    enabled: key(z.boolean(), "Switches the API server on.", false),
    extra: z
      .looseObject({
        host: key(z.string(), "Address where it listens.", "127.0.0.1"),
        persona: key(z.string(), "Persona of its sessions."),
        port: key(PORT, "Port where it listens.", 8642),
        cors_origins: key(list(), "Web pages that may call it, and connect to the gateway's WebSocket."),
        model_name: key(z.string(), "Name of the agent as a model; the profile by default."),
        allowed_hosts: key(list(), "Names of this server besides those of the machine."),
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
  }),
);

const HOST_ENTRY = "It is no host, host:port, address or network such as 192.168.1.0/24";
const hostEntry = () => z.string().refine(isHostEntry, { error: HOST_ENTRY });

/** What makes the schema of each key of `config.yaml`. */
const KEYS = {
  ...POLICY_KEYS,
  profile: later(() => key(z.string(), "Name of this agent.", "default")),
  skills: later(() =>
    z
      .looseObject({
        folders: key(NAMES, "More folders with skills.", []),
        disabled: key(NAMES, "Skills that are switched off.", []),
      })
      .optional(),
  ),
  memory: later(() =>
    z
      .looseObject({
        characters: key(z.int().min(0), "Most characters of the agent's memory.", 3000),
        user_characters: key(z.int().min(0), "Most characters of the memory of the user.", 1500),
      })
      .optional(),
  ),
  gateway: later(() =>
    z
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
  ),
  platforms: later(() =>
    openBlock(
      z.looseObject({ api_server: apiServerBlock().optional(), dashboard: dashboardBlock().optional() }),
    ).optional(),
  ),
  deployment: later(() => deploymentBlock().optional()),
  web: later(() =>
    z
      .looseObject({
        private_hosts: key(z.array(hostEntry()), "Private hosts that the agent may read.", []),
        search: z
          .looseObject({
            provider: key(z.enum(SEARCH_PROVIDERS), "The engine that the web is searched with."),
            url: key(z.string(), "Its address, where it is not the vendor's."),
            key_env: key(z.string(), "The variable that holds its key."),
          })
          .optional(),
      })
      .optional(),
  ),
  webhooks: later(() =>
    z
      .looseObject({
        private_hosts: key(z.array(hostEntry()), "Private hosts that events may be sent to.", []),
      })
      .optional(),
  ),
  mcp_servers: later(() => key(mcpServersBlock(), "Servers of the Model Context Protocol, by name.")),
  mcp: later(() =>
    z
      .looseObject({ confirm_reload: key(z.boolean(), "Ask before all servers are connected anew.", true) })
      .optional(),
  ),
  trust: later(() =>
    z
      .looseObject({
        new_folders: key(
          z.enum(["untrusted", "trusted"]),
          "Whether AGENTS.md and skills are read of folders that nobody has decided about.",
          "untrusted",
        ),
      })
      .optional(),
  ),
  store: later(() => storeBlock().optional()),
  agent: later(() => agentBlock().optional()),
  cluster: later(() => checkedByReader("Machines that work together over one database.", clusterBlock())),
  checkpoints: later(() =>
    checkedByReader("The way back: files as they were before each turn.", checkpointsBlock()),
  ),
  detached: later(() =>
    checkedByReader("Processes that go on when their terminal was left.", detachedBlock()),
  ),
  display: later(() => displayBlock().optional()),
  fleet: later(() => checkedByReader("The fleet to which this gateway reports.", fleetBlock())),
  front: later(() => checkedByReader("The address of a deployment.", frontBlock())),
  jobs: later(() => checkedByReader("Prompts that run on a schedule.", jobsBlock())),
  model: later(() => checkedByReader("The model and its providers.")),
  people: later(() => peopleBlock().optional()),
  personas: later(() => key(personasBlock(), "Personas that can be chosen by name.")),
  personalities: later(() => key(personalitiesBlock(), "Instructions that can be chosen by name.")),
  quick_commands: later(() => key(quickCommandsBlock(), "Slash commands of the owner, by name.")),
  skins: later(() => key(skinsBlock(), "Colours and words of the clients, by name.")),
  terminal: later(() => terminalBlock().optional()),
  updates: later(() => updatesBlock().optional()),
  sandbox: later(() => sandboxBlock().optional()),
  container: later(() => containerBlock().optional()),
  timezone: later(() =>
    checkedByReader("The zone in which schedules are meant; that of the machine by default."),
  ),
};

type Shape = { [Key in keyof typeof KEYS]: ReturnType<(typeof KEYS)[Key]> };
type ConfigFile = z.ZodObject<Shape, z.core.$loose>;

/** The names of all keys of `config.yaml`. */
export const CONFIG_KEYS: readonly string[] = Object.keys(KEYS);

/** Gives the schema of `config.yaml`. Unknown keys are left alone. */
export const configFile: () => ConfigFile = later(() => schemaOf(CONFIG_KEYS));

/** Gives the schema of those keys that some values have: who has few settings does not wait for the schemas of all. */
export const configFileOf = (values: Readonly<Record<string, unknown>>): ConfigFile =>
  schemaOf(CONFIG_KEYS.filter((name) => Object.hasOwn(values, name)));

function schemaOf(names: readonly string[]): ConfigFile {
  const makers: Readonly<Record<string, () => z.ZodType>> = KEYS;
  // Every key may be left out: what is not in the values is not in the result.
  return z.looseObject(
    Object.fromEntries(names.map((name) => [name, makers[name]?.()])),
  ) as unknown as ConfigFile;
}

/** The checked values of `config.yaml`. */
export type ConfigBlocks = z.output<ConfigFile>;
