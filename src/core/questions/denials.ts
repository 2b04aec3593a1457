import type { Permit } from "../ports/tool.ts";

/** Marks a name in which a denied command may stand anywhere: a line that cannot be told into its parts. */
export const SOMEWHERE = "… ";

/** The owner's rule that forbids a call, in every mode; `undefined` when there is none. */
export function denialOf(
  denied: readonly string[],
  { permit, toolName }: { readonly permit: Permit; readonly toolName: string },
): string | undefined {
  if (denied.length === 0 || permit.verdict === "block") return undefined;
  const patterns = permit.verdict === "ask" ? permit.patterns : [];
  const names = [`tool:${toolName}`, ...(permit.names ?? []), ...patterns];
  return denied.find((rule) => names.some((name) => isDenied(rule, name)));
}

function isDenied(rule: string, name: string): boolean {
  if (rule === name) return true;
  if (rule.endsWith("/**")) return name.startsWith(rule.slice(0, -2));
  if (rule.endsWith(":*")) return name.startsWith(rule.slice(0, -1));
  const command = rule.endsWith(" *") ? rule.slice(0, -2) : rule;
  if (name.startsWith(SOMEWHERE)) return `${name} `.includes(` ${command} `);
  return rule.endsWith(" *") && (name === command || name.startsWith(`${command} `));
}
