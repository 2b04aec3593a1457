import { HostError } from "../../../shared/errors/host-error.ts";
import { readFolderRule, writeFolderRule } from "../../../shared/text/folder-rule.ts";
import { familyOf, rulesFor } from "./allow-rules.ts";
import { hostProblem } from "../sandbox/network/host-list.ts";
import { runsOthers } from "./hard-block/inner-commands.ts";
import { isRemoving } from "./judge.ts";
import { isOutsideFamily, letOut, outsideRule } from "./outside-rules.ts";
import { readSimpleLine } from "./simple-line.ts";

/**
 * Reads what a person wrote as a rule that allows for ever; a command becomes the rules that cover it.
 *
 * @throws HostError `command_usage` for what would cover nothing, or too much, with what to write instead
 */
export function writtenRules(written: string): readonly string[] {
  const rule = written.trim();
  if (rule === "" || /[\p{Cc}]/u.test(rule)) throw refused(written, "a rule is one line of text");
  const placed = readFolderRule(rule);
  if (placed !== undefined) {
    const { folder } = placed;
    return writtenRules(placed.rule).map((each) => writeFolderRule({ folder, rule: each }));
  }
  if (rule.startsWith("in:"))
    throw refused(
      rule,
      "a rule for a folder names it, without a colon, and a command: in:/work/app:git commit *",
    );
  const inner = letOut(rule);
  if (inner !== undefined)
    return isOutsideFamily(inner.trim()) ? [rule] : commandRules(inner).map(outsideRule);
  if (rule.startsWith("reach:")) {
    const problem = hostProblem(rule.slice("reach:".length));
    if (problem === undefined) return [rule];
    throw refused(rule, `reach: names a host. ${problem}`);
  }
  if (/^(read|write):/.test(rule))
    throw refused(rule, "it lasts for a session only: answer the question there");
  if (rule.startsWith("edit:")) {
    if (/^edit:\/.*\/\*\*$/.test(rule)) return [rule];
    throw refused(rule, "it names a folder by its absolute path: edit:/path/**");
  }
  if (/^(mcp|tool|host):./.test(rule)) return [rule];
  return commandRules(rule);
}

/** Reads a rule for a command. */
function commandRules(rule: string): readonly string[] {
  if (/^=./.test(rule)) return [rule];
  if (rule.endsWith(" *")) {
    if (familyOf(rule.slice(0, -2)) !== undefined) return [rule];
    throw refused(
      rule,
      "it would cover nothing: rules with * exist for the commands in docs/approvals.md. Allow whole commands",
    );
  }
  const commands = readSimpleLine(rule);
  if (commands === undefined)
    throw refused(
      rule,
      "it is more than words and pipes. A rule for this line, to the letter, begins with =",
    );
  if (commands.some(({ words: [first] }) => isRemoving(first?.text ?? "")))
    throw refused(rule, "what removes files is asked about every time");
  if (commands.some(({ words }) => runsOthers(words.map(({ text }) => text))))
    throw refused(rule, "it starts another program, so that the rule would not say what runs");
  return rulesFor(rule);
}

const refused = (rule: string, why: string): HostError =>
  new HostError("command_usage", `The rule ${JSON.stringify(rule)} was not kept: ${why}.`);
