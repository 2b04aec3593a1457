import type { Session } from "../session.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { requireFastTier } from "../turn/turn-model.ts";
import { enabledToolsets } from "../turn/toolset.ts";
import { MODE_COMMANDS, switched } from "./mode-commands.ts";
import {
  defineCommands,
  type CommandContext,
  type SlashCommand,
  type SlashCommandResult,
  done,
  requireSession,
} from "./slash-command.ts";

/** The levels of reasoning, in the host's words; each dialect translates them. */
export const EFFORTS: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Commands about how the session works. */
export const SETTING_COMMANDS: readonly SlashCommand[] = [
  ...MODE_COMMANDS,
  ...defineCommands("Configuration", [
    {
      name: "model",
      args: "[provider:model]",
      description: "Show the models, or switch for the next call",
      run: model,
    },
    {
      name: "reasoning",
      aliases: ["effort"],
      args: "[none|minimal|low|medium|high|xhigh|max|default]",
      description: "Show or set how much the model thinks",
      async withSession(session, level) {
        if (level === "")
          return done(`Reasoning: ${session.state.settings.reasoning ?? "the model's default"}`);
        if (level !== "default" && !EFFORTS.includes(level)) {
          throw new HostError("command_usage", `Usage: /reasoning ${EFFORTS.join("|")}|default`);
        }
        await session.set({ reasoning: level === "default" ? null : level });
        return done(`Reasoning: ${level}`);
      },
    },
    {
      name: "fast",
      args: "[on|off]",
      description: "Use the provider's faster, dearer tier",
      withSession: fast,
    },
  ]),
  ...defineCommands("Tools & Skills", [
    {
      name: "tools",
      aliases: ["toolsets"],
      args: "[enable|disable <toolset>…]",
      description: "Show toolsets, or switch them for this session",
      withSession: tools,
    },
  ]),
];

async function fast(
  session: Session,
  argument: string,
  context: CommandContext,
): Promise<SlashCommandResult> {
  const { settings } = session.state;
  const now = settings.fast === true;
  const wanted = switched(now, argument, "/fast [on|off]");
  if (wanted) requireFastTier(context.host.services.models(), settings);
  if (wanted !== now) await session.set({ fast: wanted ? true : null });
  return done(wanted ? "Fast: on, at the price of the faster tier." : "Fast: off.");
}

async function model(context: CommandContext, argument: string): Promise<SlashCommandResult> {
  const models = context.host.services.models();
  const settings = context.session?.state.settings ?? {};
  if (argument === "") {
    const listed = await models.list(context.signal);
    const current = models.resolve(settings);
    const lines = listed.map(({ provider, model: name, label }) => {
      const mark = provider === current.provider && name === current.name ? "*" : " ";
      return `${mark} ${provider}:${name}${label === undefined ? "" : `  ${label}`}`;
    });
    return done(
      [`Model: ${current.provider}:${current.name}`, ...lines, "/model <provider:model> switches."].join(
        "\n",
      ),
    );
  }
  const session = requireSession(context, "model");
  const wanted = models.parse(argument);
  const { provider, name } = models.resolve(wanted);
  await session.set({ provider, model: name });
  return done(`Model: ${provider}:${name}, from the next call on.`);
}

async function tools(
  session: Session,
  argument: string,
  context: CommandContext,
): Promise<SlashCommandResult> {
  const { services } = context.host;
  const all = services.toolsets();
  const { platform, settings } = session.state;
  const configured = services.policy().toolsets[platform];
  const possible = enabledToolsets(all, platform, { configured });
  const enabled = enabledToolsets(all, platform, { configured, session: settings.toolsets });
  const [action = "", ...names] = argument.split(/[\s,]+/).filter((word) => word !== "");
  if (action === "") {
    const lines = possible.map((set) => {
      const state = enabled.includes(set) ? "on" : "off";
      const lack = set.configured ? "" : ` (not configured: ${set.remedy ?? ""})`;
      return `${set.name.padEnd(10)} ${state.padEnd(4)} ${set.tools.map(({ name }) => name).join(", ")}${lack}`;
    });
    return done(lines.length === 0 ? "There are no tools here." : lines.join("\n"));
  }
  const unknown = names.filter((name) => !possible.some((set) => set.name === name));
  if (!["enable", "disable"].includes(action) || names.length === 0 || unknown.length > 0) {
    const known = possible.map(({ name }) => name).join(", ");
    const problem = unknown.length > 0 ? `There is no toolset ${unknown.join(", ")} here. ` : "";
    throw new HostError("command_usage", `${problem}Usage: /tools [enable|disable <toolset>…], of: ${known}`);
  }
  const before = enabled.map(({ name }) => name);
  const after =
    action === "enable"
      ? [...new Set([...before, ...names])]
      : before.filter((name) => !names.includes(name));
  await session.set({ toolsets: after });
  return done(`Toolsets: ${after.join(", ") || "none"}`);
}
