import { countedTokens, type BudgetLimits, budgetLimits, budgetError } from "../subagents/budget.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Budget } from "../events/events.ts";
import type { Usage } from "../events/usage.ts";
import {
  type CommandContext,
  type SlashCommand,
  type SlashCommandResult,
  done,
  requireSession,
} from "./slash-command.ts";
import { groupDigits } from "../../shared/text/format.ts";

const USAGE = "Usage: /budget [<tokens>|$<amount>|off|default], such as /budget 200k or /budget $2.50";
const GO_ON = "Go on where you stopped.";
const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1000, m: 1_000_000 };

/** The command that shows and sets a session's budget; a session that had used it up goes on. */
export const BUDGET_COMMAND: SlashCommand = {
  name: "budget",
  aliases: [],
  args: "[<tokens>|$<amount>|off|default]",
  description: "Show or set what the session may use, and go on when it had used that up",
  category: "Configuration",
  run: budget,
};

async function budget(context: CommandContext, argument: string): Promise<SlashCommandResult> {
  const session = requireSession(context, "budget");
  const { settings } = await session.refresh();
  if (argument !== "") {
    const given = readBudget(argument);
    await session.set({ budget: given === null ? null : { ...settings.budget, ...given } });
  }
  const { services, subagents } = context.host;
  const limits = budgetLimits(session.state.settings, services.policy());
  const usage = subagents.familyUsage(session);
  const text = budgetText(usage, limits);
  const { parked, queue } = session.state;
  if (argument === "" || parked === undefined || budgetError(usage, limits) !== undefined) return done(text);
  const held = queue.filter((entry) => entry.held).map(({ prompt }) => prompt.id);
  if (held.length === 0) return { type: "send", message: GO_ON, notice: text };
  await session.confirm(held);
  return done(`${text}\nGoing on with what was queued.`);
}

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
