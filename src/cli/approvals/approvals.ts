import { keepRule, keptRules, removeRule, ruleLines } from "../../app/approvals/approval-rules.ts";
import { LiveSettings } from "../../app/config/live-settings.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { type Io, write } from "../../app/process/io.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { forTerminalLine } from "../../tui/terminal/terminal-text.ts";
import { printJson } from "../terminal/output.ts";

/** `agent approvals list`: the mode, then one line a rule. */
export async function listApprovals(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  await withSettings(io, async (live) => {
    const rules = await keptRules(live);
    const { mode } = live.policy.approvals;
    if (json) return await printJson(io, { mode, rules });
    const lines = rules.length === 0 ? ["No rules are kept."] : ruleLines(rules).map(forTerminalLine);
    await write(io.stdout, `Approvals: ${mode}\n${lines.join("\n")}\n`);
  });
}

/** `agent approvals allow`. @throws HostError `command_usage`, `config_invalid` */
export async function allowRule(io: Io, { rule }: { readonly rule: string }): Promise<void> {
  const rules = await withSettings(io, (live) => keepRule(live, "allowed", rule));
  await write(io.stdout, forTerminalLine(`Runs without asking from now on: ${rules.join(", ")}`) + "\n");
}

/** `agent approvals deny`. @throws HostError `command_usage`, `config_invalid` */
export async function denyRule(io: Io, { rule }: { readonly rule: string }): Promise<void> {
  const rules = await withSettings(io, (live) => keepRule(live, "denied", rule));
  await write(io.stdout, forTerminalLine(`Never runs from now on: ${rules.join(", ")}`) + "\n");
}

/** `agent approvals remove`. @throws HostError `not_found`, `config_invalid` */
export async function removeApproval(io: Io, { rule }: { readonly rule: string }): Promise<void> {
  const removed = await withSettings(io, (live) => removeRule(live, rule));
  await write(io.stdout, forTerminalLine(`No longer ${removed.list}: ${removed.rule}`) + "\n");
}

/** Rules need neither store nor models. */
async function withSettings<T>(io: Io, use: (live: LiveSettings) => Promise<T>): Promise<T> {
  const settings = await loadSettings(io.env, io.cwd);
  const options = { environment: io.env, cwd: io.cwd, clock: systemClock, platform: io.platform };
  await using live = new LiveSettings(settings, options);
  return await use(live);
}
