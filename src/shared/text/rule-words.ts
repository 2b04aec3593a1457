import { readFolderRule } from "./folder-rule.ts";

/** Forms of rules, each with what it covers. The first that fits counts. */
const FORMS: readonly (readonly [RegExp, (match: readonly string[]) => string])[] = [
  [
    /^outside:(.+)$/s,
    ([, rule = ""]) => `outside the sandbox: ${rule === "git push *" ? "pushing" : ruleWords(rule)}`,
  ],
  [/^reach:(.+)$/s, ([, host = ""]) => `connections of commands in the sandbox to ${host}`],
  [/^=/, () => "this line, to the letter"],
  [/^edit:(.+)\/\*\*$/s, ([, folder = ""]) => `changes of the ordinary files in ${folder}`],
  [/^edit:(.+)$/s, ([, file = ""]) => `changes of the file ${file}`],
  [/^read:(.+)\/\*\*$/s, ([, folder = ""]) => `reading in ${folder}`],
  [/^read:(.+)$/s, ([, file = ""]) => `reading the file ${file}, which may hold secrets`],
  [/^write:/, () => "input for this running command"],
  [/^host:(.+)$/s, ([, host = ""]) => `requests to ${host}`],
  [
    /^mcp:([^:]+):(.+)$/s,
    ([, server = "", tool = ""]) => `every call of ${tool} of the MCP server ${server}`,
  ],
  [/^tool:(.+)$/s, ([, tool = ""]) => `every call of the tool ${tool}`],
  [
    /^(.+) \*$/s,
    ([, program = ""]) =>
      `${program} with any of the options that are known to start no program and to write nowhere else`,
  ],
];

const PLAIN = "this command, in any spelling of its quotes";

/** Says in words what a rule of approvals covers. */
export function ruleWords(rule: string): string {
  const placed = readFolderRule(rule);
  if (placed !== undefined) return `${ruleWords(placed.rule)}; in sessions of ${placed.folder} and below it`;
  for (const [form, words] of FORMS) {
    const match = form.exec(rule);
    if (match !== null) return words(match);
  }
  return PLAIN;
}

/**
 * Says in few words what rules of approvals cover, for the label of an answer. Commands stay as they are.
 *
 * @param command - what is asked about; a rule for it alone is "exactly this command"
 */
export function scopeWords(rules: readonly string[], command: string): string {
  const line = command.trim();
  return rules
    .map((rule) => {
      if (rule === line || rule.startsWith("=")) return "exactly this command";
      return rule.endsWith(" *") || ruleWords(rule) === PLAIN ? rule : ruleWords(rule);
    })
    .join("; ");
}
