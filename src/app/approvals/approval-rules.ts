import { HostError } from "../../shared/errors/host-error.ts";
import { ruleWords } from "../../shared/text/rule-words.ts";
import { writtenRules } from "../../providers/tools/index.ts";
import type { LiveSettings } from "../config/live-settings.ts";

/** A list of rules in the configuration. */
export type RuleList = "allowed" | "denied";

/** A rule that is kept, with what it covers. */
export interface KeptRule {
  readonly list: RuleList;
  readonly rule: string;
  readonly covers: string;
}

type Settings = Pick<LiveSettings, "current" | "refresh" | "change" | "addRules">;

/** Lists the rules that are kept, as the configuration has them now: those that allow first. */
export async function keptRules(live: Settings): Promise<readonly KeptRule[]> {
  await live.refresh();
  const { allowed, denied } = live.current.policy.approvals;
  const kept = (list: RuleList, rules: readonly string[]): readonly KeptRule[] =>
    rules.map((rule) => ({ list, rule, covers: list === "denied" ? deniedWords(rule) : ruleWords(rule) }));
  return [...kept("allowed", allowed), ...kept("denied", denied)];
}

const deniedWords = (rule: string): string =>
  rule.endsWith(" *") ? `${rule.slice(0, -2)} with anything after it` : ruleWords(rule);

/**
 * Keeps a rule; gives the rules that it became.
 *
 * @throws HostError `command_usage` for one that would cover nothing, `config_invalid`
 */
export async function keepRule(live: Settings, list: RuleList, written: string): Promise<readonly string[]> {
  const rules = readRule(list, written);
  await live.addRules(list, rules);
  return rules;
}

/** Reads a rule as people write it; gives the rules that it becomes. @throws HostError `command_usage` */
export const readRule = (list: RuleList, written: string): readonly string[] =>
  list === "allowed" ? writtenRules(written) : [deniedRule(written)];

function deniedRule(written: string): string {
  const rule = written.trim();
  if (rule.startsWith("in:"))
    throw new HostError("command_usage", "A rule that denies holds in every folder: leave `in:` out.");
  if (rule !== "" && rule !== "*" && !/\p{Cc}/u.test(rule)) return rule;
  throw new HostError(
    "command_usage",
    "A rule that denies is one line, such as `git push *` or tool:terminal.",
  );
}

/**
 * Removes a rule, named by its text or its number in the list; gives it. A program names it by its text alone: the list
 * may have changed since it was read.
 *
 * @throws HostError `not_found`, `config_invalid`
 */
export async function removeRule(
  live: Settings,
  named: string | { readonly text: string },
): Promise<KeptRule> {
  const rules = await keptRules(live);
  const text = typeof named === "string" ? named.trim() : named.text;
  const numbered = typeof named === "string" ? rules[Number(named) - 1] : undefined;
  const found = rules.find(({ rule }) => rule === text) ?? numbered;
  if (found === undefined)
    throw new HostError(
      "not_found",
      `There is no rule ${JSON.stringify(text)}. \`agent approvals\` lists them.`,
    );
  const left = rules.filter(({ list, rule }) => list === found.list && rule !== found.rule);
  const value = left.length === 0 ? undefined : left.map(({ rule }) => rule);
  await live.change([[["approvals", found.list], value]]);
  return found;
}

/** Writes the rules as lines, numbered. */
export function ruleLines(rules: readonly KeptRule[]): readonly string[] {
  return rules.map(
    ({ list, rule, covers }, index) =>
      `${index + 1}. ${list === "allowed" ? "allow" : "deny "}  ${rule}  (${covers})`,
  );
}
