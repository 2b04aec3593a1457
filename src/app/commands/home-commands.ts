import { realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import {
  type CommandContext,
  defineCommands,
  done,
  requireSession,
  type SlashCommand,
} from "../../core/index.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Knowledge } from "../../providers/knowledge/index.ts";
import type { Machine, Spawner } from "../../providers/tools/index.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { exportConversation } from "./export-conversation.ts";

/** The services that the commands about this home use. */
export interface HomeCommandParts {
  readonly live: LiveSettings;
  readonly knowledge: Knowledge;
  readonly machine: Machine;
  readonly spawner: Spawner;
}

const DOCTOR_MS = 60_000;
const DOCTOR_CHARACTERS = 20_000;

/** Commands that need the files of this machine: export, folders, memory, checks, keys. */
export const homeCommands = (parts: HomeCommandParts): readonly SlashCommand[] => [
  ...defineCommands("Session", [
    {
      name: "export",
      aliases: ["save"],
      args: "[file]",
      description: "Write the conversation to a file: Markdown, or JSON for a name with .json",
      run: async (context, file) => done(await exportConversation(context, file)),
    },
    {
      name: "add-dir",
      aliases: ["directory"],
      args: "<folder>",
      description: "Let the agent work in another folder too",
      run: async (context, folder) => done(await addFolder(context, folder)),
    },
  ]),
  ...defineCommands("Info", [
    {
      name: "memory",
      description: "Show what the agent remembers, and where it is written",
      run: async () => done(await memoryText(parts)),
    },
    {
      name: "doctor",
      description: "Check configuration, store and model",
      run: async (context) => done(await doctor(parts, context)),
    },
  ]),
  ...defineCommands("Configuration", [
    {
      name: "login",
      aliases: ["connect", "auth"],
      description: "Say how to set up a model and its key",
      run: () => Promise.resolve(done(LOGIN)),
    },
    {
      name: "logout",
      description: "Say where keys are kept, and how to take them away",
      run: () => Promise.resolve(done(logoutText(parts))),
    },
    {
      name: "config",
      description: "Say where the settings are",
      run: () => Promise.resolve(done(configText(parts))),
    },
  ]),
];

const LOGIN =
  "`agent setup` in a terminal asks which model and which key. /setup does it here, where the client can.";

const logoutText = ({ live }: HomeCommandParts): string =>
  `Keys are lines of ${live.current.paths.env}, or variables of your environment. Delete the line, then /reload-env or a new start forgets the key.`;

function configText({ live }: HomeCommandParts): string {
  const { config, env } = live.current.paths;
  return `Settings: ${config}\nKeys:     ${env}\nA change counts from the next turn on. /model, /mode, /approvals and /display change the usual ones from here.`;
}

async function addFolder(context: CommandContext, folder: string): Promise<string> {
  const session = requireSession(context, "add-dir");
  const { cwd, roots } = await session.refresh();
  if (folder === "")
    return `The agent works in:\n${roots.map((root) => `  ${root}`).join("\n")}\n/add-dir <folder> adds one.`;
  const path = isAbsolute(folder) ? folder : resolve(cwd, folder);
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new HostError("not_found", `There is no folder ${path}.`);
  const real = await realpath(path);
  if (roots.includes(real)) return `The agent works in ${real} already.`;
  await session.set({ roots: [...roots, real] });
  return `The agent works in ${real} too, from its next call on.`;
}

async function memoryText({ knowledge: { memory } }: HomeCommandParts): Promise<string> {
  const part = async (target: "memory" | "user", title: string): Promise<readonly string[]> => {
    const { entries, size, budget } = await memory.file(target, undefined);
    return [
      `${title} (${size} of ${budget} characters)`,
      ...(entries.length === 0 ? ["  nothing yet"] : entries.map((words) => `  - ${words}`)),
    ];
  };
  return [
    ...(await part("user", "About you")),
    ...(await part("memory", "What it learnt")),
    "",
    `Written in ${memory.place}. Rules of a project are in its AGENTS.md: /init writes one.`,
  ].join("\n");
}

async function doctor(
  { machine, spawner }: HomeCommandParts,
  { signal, workspace }: CommandContext,
): Promise<string> {
  // Loaded when it is asked for: it belongs to the gateway.
  const { commandPort } = await import("../rpc/command-port.ts");
  const port = commandPort({ machine, spawner, clock: systemClock, stopProcesses: () => Promise.resolve(0) });
  const options = { cwd: workspace.cwd, timeoutMs: DOCTOR_MS, keep: DOCTOR_CHARACTERS, signal };
  const { stdout, stderr } = await port.agent(["doctor"], options);
  return `${stdout}${stderr}`.trim();
}
