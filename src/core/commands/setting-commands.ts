import { HostError } from "../../shared/errors/host-error.ts";
import { modelChoice } from "../ports/persona.ts";
import { goOn } from "../session/go-on.ts";
import { chosenModel } from "../session/chosen-model.ts";
import { requireFastTier } from "../turn/turn-model.ts";
import { configuredToolsets, enabledToolsets, sessionToolsets } from "../turn/toolset.ts";
import { PERSONA_COMMANDS } from "./persona-command.ts";
import { MODE_COMMANDS, switched } from "./mode-commands.ts";
import { defineCommands, type SlashCommand, done, requireSession } from "./slash-command.ts";
import { countedTokens, type BudgetLimits, budgetLimits, budgetError } from "../subagents/budget.ts";
import type { Budget } from "../events/budget.ts";
import type { Usage } from "../events/usage.ts";
import { groupDigits } from "../../shared/text/format.ts";

/** The levels of reasoning, in the host's words; each dialect translates them. */
export const EFFORTS: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Commands about how the session works. */
export const SETTING_COMMANDS: readonly SlashCommand[] = [
  ...MODE_COMMANDS,
  ...PERSONA_COMMANDS,
  ...defineCommands("Configuration", [
    {
      name: "model",
      aliases: ["models"],
      args: "[provider:model]",
      description: "Show the models, or switch for the next call",
      async run(context, argument) {
        const models = context.host.services.models();
        const state = context.session?.state;
        if (argument === "") {
          const listed = await models.list(context.signal);
          const current = models.resolve(state === undefined ? {} : modelChoice(state));
          const lines = listed.map(({ provider, model: name, label }) => {
            const mark = provider === current.provider && name === current.name ? "*" : " ";
            return `${mark} ${provider}:${name}${label === undefined ? "" : `  ${label}`}`;
          });
          return done(
            [
              `Model: ${current.provider}:${current.name}`,
              ...lines,
              "/model <provider:model> switches.",
            ].join("\n"),
          );
        }
        const session = requireSession(context, "model");
        const { provider, name } = await chosenModel(models, argument);
        await session.set({ provider, model: name });
        return done(
          `Model: ${provider}:${name}, from the next call on, in this session. \`agent model ${provider}:${name}\` makes it that of new ones.`,
        );
      },
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
      async withSession(session, argument, context) {
        const { settings } = session.state;
        const now = settings.fast === true;
        const wanted = switched(now, argument, "/fast [on|off]");
        if (wanted) requireFastTier(context.host.services.models(), modelChoice(session.state));
        if (wanted !== now) await session.set({ fast: wanted ? true : null });
        return done(wanted ? "Fast: on, at the price of the faster tier." : "Fast: off.");
      },
    },
  ]),
  ...defineCommands("Tools & Skills", [
    {
      name: "tools",
      aliases: ["toolsets"],
      args: "[enable|disable <toolset>…]",
      description: "Show toolsets, or switch them for this session",
      async withSession(session, argument, context) {
        const { services } = context.host;
        const all = services.toolsets();
        const { platform } = session.state;
        const configured = configuredToolsets(services.policy(), session.state);
        const persona = session.state.persona?.toolsets;
        const possible = enabledToolsets(all, platform, { configured, persona });
        const enabled = sessionToolsets(services, session.state);
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
          throw new HostError(
            "command_usage",
            `${problem}Usage: /tools [enable|disable <toolset>…], of: ${known}`,
          );
        }
        const before = enabled.map(({ name }) => name);
        const after =
          action === "enable"
            ? [...new Set([...before, ...names])]
            : before.filter((name) => !names.includes(name));
        await session.set({ toolsets: after });
        return done(`Toolsets: ${after.join(", ") || "none"}`);
      },
    },
  ]),
  ...defineCommands("Configuration", [
    {
      name: "budget",
      args: "[<tokens>|$<amount>|off|default]",
      description: "Show or set what the session may use, and go on when it had used that up",
      async withSession(session, argument, { host: { services, subagents } }) {
        const { settings } = await session.refresh();
        if (argument !== "") {
          const given = readBudget(argument);
          await session.set({ budget: given === null ? null : { ...settings.budget, ...given } });
        }
        const limits = budgetLimits(session.state, services.policy());
        const usage = subagents.familyUsage(session);
        const text = budgetText(usage, limits);
        const { parked } = session.state;
        if (argument === "" || parked === undefined || budgetError(usage, limits) !== undefined)
          return done(text);
        const prompt = await goOn(session);
        if (prompt !== undefined) return { type: "send", message: prompt, notice: text };
        return done(`${text}\nGoing on with what was queued.`);
      },
    },
  ]),
];

const USAGE = "Usage: /budget [<tokens>|$<amount>|off|default], such as /budget 200k or /budget $2.50";
const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1000, m: 1_000_000 };

/** @throws HostError `command_usage` */
function readBudget(text: string): Budget | null {
  if (text === "off") return { tokens: 0, cost: 0 };
  if (text === "default") return null;
  const [, dollar, digits = "", unit = ""] =
    /^(\$?)(\d+(?:\.\d+)?)([km]?)$/.exec(text.toLowerCase().replaceAll(/[,_]/g, "")) ?? [];
  const value = Number(digits) * (UNITS[unit] ?? 1);
  if (dollar === "$" && unit === "" && digits !== "") return { cost: value };
  if (dollar === "" && Number.isSafeInteger(value) && digits !== "") return { tokens: value };
  throw new HostError("command_usage", USAGE);
}

function budgetText(usage: Usage, { tokens, cost }: BudgetLimits): string {
  const of = (limit: string | undefined): string => (limit === undefined ? ", no limit" : ` of ${limit}`);
  const spent = usage.cost === undefined ? "unknown" : `$${usage.cost.toFixed(2)}`;
  return [
    `Tokens  ${groupDigits(countedTokens(usage))}${of(tokens === 0 ? undefined : groupDigits(tokens))}`,
    `Cost    ${spent}${of(cost === 0 ? undefined : `$${cost.toFixed(2)}`)}`,
  ].join("\n");
}
