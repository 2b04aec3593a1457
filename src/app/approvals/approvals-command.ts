import type { SessionMode, SlashCommand } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { keepRule, keptRules, removeRule, ruleLines } from "./approval-rules.ts";

const USAGE = "Usage: /approvals [allow <rule>|deny <rule>|remove <rule or number>]";

/** The command `/approvals`: the mode and the rules, and changes of the rules. */
export function approvalsCommand(live: LiveSettings): SlashCommand {
  return {
    name: "approvals",
    aliases: ["permissions"],
    args: "[allow <rule>|deny <rule>|remove <rule>]",
    description: "Show what runs without asking and what never runs, or change it",
    category: "Configuration",
    async run({ session }, argument) {
      const [, verb = "", rule = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument.trim()) ?? [];
      if (verb === "") return { type: "done", output: await overview(live, session?.state) };
      if (rule === "") throw new HostError("command_usage", USAGE);
      return { type: "done", output: await changed(live, verb.toLowerCase(), rule) };
    },
  };
}

interface SessionRules {
  readonly allowed: readonly string[];
  readonly settings: { readonly mode?: SessionMode };
}

async function overview(live: LiveSettings, session: SessionRules | undefined): Promise<string> {
  const rules = await keptRules(live);
  const { mode } = live.policy.approvals;
  const chosen = session?.settings.mode;
  const here = chosen === undefined ? "" : `; this session's mode is ${chosen} (/approval-mode)`;
  const own = (session?.allowed ?? []).filter((rule) => !live.policy.approvals.allowed.includes(rule));
  return [
    `Approvals: ${mode}${here}`,
    ...(rules.length === 0 ? ["No rules are kept."] : ruleLines(rules)),
    ...own.map((rule) => `For this session: ${rule}`),
    USAGE,
  ].join("\n");
}

async function changed(live: LiveSettings, verb: string, written: string): Promise<string> {
  switch (verb) {
    case "allow":
      return `Runs without asking from now on: ${(await keepRule(live, "allowed", written)).join(", ")}`;
    case "deny":
      return `Never runs from now on: ${(await keepRule(live, "denied", written)).join(", ")}`;
    case "remove": {
      const { list, rule } = await removeRule(live, written);
      return `No longer ${list}: ${rule}`;
    }
    default:
      throw new HostError("command_usage", USAGE);
  }
}
