import { defineCommands, done, type Session, type SessionMode, type SlashCommand } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { keepRule, keptRules, removeRule, ruleLines } from "./approval-rules.ts";

const USAGE = "Usage: /approvals [allow <rule>|deny <rule>|remove <rule or number>]";

/** The command `/approvals`: the mode and the rules, and changes of the rules. */
export function approvalsCommand(live: LiveSettings): readonly SlashCommand[] {
  return defineCommands("Configuration", [
    {
      name: "approvals",
      aliases: ["permissions"],
      args: "[allow <rule>|deny <rule>|remove <rule>]",
      description: "Show what runs without asking and what never runs, or change it",
      async run({ session }, argument) {
        const [, verb = "", rule = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument.trim()) ?? [];
        if (verb === "") return done(await overview(live, session?.state));
        if (rule === "") throw new HostError("command_usage", USAGE);
        const change = verb.toLowerCase();
        if (change === "remove" && (await isRevoked(live, session, rule)))
          return done(`No longer allowed in this session: ${rule}`);
        return done(await changed(live, change, rule));
      },
    },
  ]);
}

/** Takes a rule of the session back; `false` when the owner's rules have to be changed for it, or too. */
async function isRevoked(live: LiveSettings, session: Session | undefined, rule: string): Promise<boolean> {
  const { revoked } = (await session?.note("revoke", { patterns: [rule] })) ?? { revoked: [] };
  return revoked.length > 0 && !(await keptRules(live)).some((kept) => kept.rule === rule);
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
