import { realpathSync } from "node:fs";
import { writeFolderRule } from "../../shared/text/folder-rule.ts";
import { keepRule, keptRules, removeRule, ruleLines } from "../../app/approvals/approval-rules.ts";
import { withLiveSettings } from "../../app/config/with-live-settings.ts";
import { type Io, write } from "../../app/process/io.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** `agent approvals list`: the mode, then one line a rule. */
export async function listApprovals(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  await withLiveSettings(io, async (live) => {
    const rules = await keptRules(live);
    const { mode } = live.policy.approvals;
    if (json) return await printJson(io, { mode, rules });
    const lines = rules.length === 0 ? ["No rules are kept."] : ruleLines(rules).map(forTerminalLine);
    await write(io.stdout, `Approvals: ${mode}\n${lines.join("\n")}\n`);
  });
}

/**
 * `agent approvals allow`.
 *
 * @param here - in sessions of the folder that it is called in
 * @throws HostError `command_usage`, `config_invalid`
 */
export async function allowRule(
  io: Io,
  { rule, here }: { readonly rule: string; readonly here: boolean },
): Promise<void> {
  const written = here ? writeFolderRule({ folder: realpathSync(io.cwd), rule }) : rule;
  const rules = await withLiveSettings(io, (live) => keepRule(live, "allowed", written));
  await write(io.stdout, forTerminalLine(`Runs without asking from now on: ${rules.join(", ")}`) + "\n");
}

/** `agent approvals deny`. @throws HostError `command_usage`, `config_invalid` */
export async function denyRule(io: Io, { rule }: { readonly rule: string }): Promise<void> {
  const rules = await withLiveSettings(io, (live) => keepRule(live, "denied", rule));
  await write(io.stdout, forTerminalLine(`Never runs from now on: ${rules.join(", ")}`) + "\n");
}

/** `agent approvals remove`. @throws HostError `not_found`, `config_invalid` */
export async function removeApproval(io: Io, { rule }: { readonly rule: string }): Promise<void> {
  const removed = await withLiveSettings(io, (live) => removeRule(live, rule));
  await write(io.stdout, forTerminalLine(`No longer ${removed.list}: ${removed.rule}`) + "\n");
}
