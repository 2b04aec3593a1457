import { readSimpleLine } from "./simple-line.ts";
import { checkWords } from "./unasked-words.ts";

/** What a rule begins with that lets a command leave the sandbox. */
const OUTSIDE = "outside:";
const PUSH = "git push";
/** Options that name no program, no machine and no other history. */
const PUSH_WORDS = {
  options: "-nquv --dry-run --quiet --set-upstream --tags --verbose",
  operands: "refs",
} as const;

/** The rule that lets out what another rule allows inside; `git push` with usual words is let out as such. */
export function outsideRule(rule: string): string {
  const command = readSimpleLine(rule);
  const words = command?.length === 1 ? (command[0]?.words ?? []) : [];
  const [program, next, ...rest] = words;
  const isPush =
    `${program?.text ?? ""} ${next?.text ?? ""}` === PUSH && command?.[0]?.redirections.length === 0;
  return isPush && checkWords(PUSH_WORDS, rest) !== undefined ? `${OUTSIDE}${PUSH} *` : `${OUTSIDE}${rule}`;
}

/** The rule that lets out what another rule allows inside, and nothing else. */
export const letOutAsItIs = (rule: string): string => `${OUTSIDE}${rule}`;

/** What a rule lets out; `undefined` for a rule of another kind. */
export const letOut = (rule: string): string | undefined =>
  rule.startsWith(OUTSIDE) ? rule.slice(OUTSIDE.length) : undefined;

/** Whether a rule with `*` is one that exists outside only. */
export const isOutsideFamily = (rule: string): boolean => rule === `${PUSH} *`;
