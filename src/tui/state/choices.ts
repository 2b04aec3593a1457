import { readFolderRule } from "../../shared/text/folder-rule.ts";
import { scopeWords } from "../../shared/text/rule-words.ts";
import { visibleInLine } from "../../shared/text/visible.ts";
import type { AskedRequest } from "../gateway.ts";
import type { AnswerStep } from "./app-state.ts";

/** Whether the answer must not be seen. */
export const isHidden = ({ method }: AskedRequest): boolean => method === "sudo" || method === "secret";

/** A way to answer: its words, and what it stands for. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  /** The digit that marks it; by default its place, counted from 1. An answer of approvals has the same in all of them. */
  readonly digit?: number;
}

/** The digit of each answer to an approval, whichever of them are offered. */
const DIGITS = { once: 1, session: 2, always: 3, deny: 4, inWords: 5 } as const;

/** The digit that marks a choice. */
export const digitOf = ({ digit }: Choice, index: number): number => digit ?? index + 1;

/** Choices that are no answer yet, or not one of the question's own. They begin with a character that no answer has. */
export const OWN_WORDS = "\u0000own";
export const DENY_IN_WORDS = "\u0000deny";
export const SKIP = "\u0000skip";
export const BACK = "\u0000back";

/** The answers to choose from in a step; a question that wants words only has none. */
export function choicesOf(request: AskedRequest, step: AnswerStep = "choose"): readonly Choice[] {
  if (step === "write") return [];
  if (step === "confirm") return confirmation(request);
  const offered = offeredChoices(request);
  switch (request.method) {
    case "approval":
      return [
        ...offered,
        { id: DENY_IN_WORDS, label: "Deny, and say what to do instead…", digit: DIGITS.inWords },
      ];
    case "clarify":
      return offered.length === 0
        ? []
        : [...offered, { id: OWN_WORDS, label: "Something else…" }, { id: SKIP, label: "Skip the question" }];
    case "trust":
      return offered;
    case "sudo":
    case "secret":
      return [];
  }
}

/** What "always" may be about to mean: each answer says what it allows from now on, and where. */
function confirmation(request: AskedRequest): readonly Choice[] {
  const scopes = alwaysScopes(request);
  const yes =
    scopes.length === 0 ? [{ id: "always", label: "Yes, allow this from now on, in every folder" }] : scopes;
  return [...yes, { id: BACK, label: "No, back to the question" }];
}

/** The answers that name what "always" covers, the narrowest first; none when there is nothing to choose. */
export function alwaysScopes(request: AskedRequest): readonly Choice[] {
  if (request.method !== "approval") return [];
  const { scopes = [], command } = request.params;
  return scopes.map(({ id, rules, folder }) => {
    const bare = rules.map((rule) => readFolderRule(rule)?.rule ?? rule);
    const where = folder === undefined ? "In every folder" : "In this folder";
    return { id: `always ${id}`, label: visibleInLine(`${where}: ${scopeWords(bare, command)}`) };
  });
}

/** The step in which a question begins. */
export const firstStep = (request: AskedRequest): AnswerStep =>
  choicesOf(request).length === 0 ? "write" : "choose";

/** The answers that a question itself offers. */
export function offeredChoices(request: AskedRequest): readonly Choice[] {
  switch (request.method) {
    case "approval": {
      const { choices, pattern_keys, command } = request.params;
      const covered = visibleInLine(scopeWords(pattern_keys, command));
      const scope = covered === "" ? "" : `: ${covered}`;
      const words = {
        once: "Allow once",
        session: `Allow for this session${scope}`,
        always: `Always allow${scope}…`,
        deny: "Deny",
      };
      return choices.map((id) => ({ id, label: words[id], digit: DIGITS[id] }));
    }
    case "clarify":
      return (request.params.choices ?? []).map((each) => ({ id: each, label: visibleInLine(each) }));
    case "trust":
      return [
        { id: "once", label: "Trust this folder and all in it: read these files" },
        { id: "deny", label: "Do not trust it: leave them out" },
      ];
    case "sudo":
    case "secret":
      return [];
  }
}
