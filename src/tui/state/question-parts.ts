import { ruleWords } from "../../shared/text/rule-words.ts";
import { visible } from "../../shared/text/visible.ts";
import type { AskedRequest } from "../gateway.ts";

/** A part of what a question says: `exact` letter by letter, `words` as running text, `diff` as changed lines. */
export interface QuestionPart {
  readonly kind: "exact" | "words" | "diff";
  readonly text: string;
}

/** Lists all that a question says, for every view of the client. A view may cut a part, but leaves none out. */
export function questionParts(request: AskedRequest): readonly QuestionPart[] {
  return partsOf(request)
    .filter(({ text }) => text !== "")
    .map((part) => ({ ...part, text: visible(part.text) }));
}

function partsOf(request: AskedRequest): readonly QuestionPart[] {
  switch (request.method) {
    case "approval": {
      const { command, description, inline_diff = "" } = request.params;
      return [
        { kind: "exact", text: command },
        { kind: "words", text: description === command ? "" : description },
        { kind: "diff", text: inline_diff },
      ];
    }
    case "trust": {
      const { folder, files } = request.params;
      return [
        { kind: "exact", text: folder },
        {
          kind: "words",
          text: `It is new here, and has files that tell the agent what to do. They are not read before you say that you trust it: ${files.join(", ")}`,
        },
      ];
    }
    case "clarify":
      return [{ kind: "words", text: splitQuestion(request.params.question).asked }];
    case "sudo": {
      const { command, description = "" } = request.params;
      return [
        { kind: "exact", text: command },
        { kind: "words", text: description },
      ];
    }
    case "secret": {
      const { prompt, env_var } = request.params;
      return [{ kind: "words", text: `${prompt} (${env_var})` }];
    }
  }
}

/** Lines of a question that stand in it; what is longer is printed above, but for its last paragraph. */
const MOST_LINES = 4;
const MOST_CHARACTERS = 400;

/** A question with much to read before it, such as a plan: what there is to read, and what is asked. */
export function splitQuestion(question: string): { readonly before: string; readonly asked: string } {
  const text = question.trim();
  const at = text.lastIndexOf("\n\n");
  const isLong = text.length > MOST_CHARACTERS || text.split("\n").length > MOST_LINES;
  if (at === -1 || !isLong) return { before: "", asked: text };
  return { before: text.slice(0, at).trimEnd(), asked: text.slice(at).trim() };
}

/** What there is to read before a question, for the scrollback; empty when all of it stands in the question. */
export const longBeginning = (request: AskedRequest): string =>
  request.method === "clarify" ? visible(splitQuestion(request.params.question).before) : "";

/** All that a question says, for reading in full: also what an answer for longer than once would cover. */
export function wholeQuestion(request: AskedRequest): string {
  const rest = request.method === "approval" ? approvalRest(request.params) : [];
  const parts = [longBeginning(request), ...questionParts(request).map(({ text }) => text), ...rest];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** What an approval says to those who want to know more. */
function approvalRest({ pattern_keys, details = "" }: ApprovalParams): readonly string[] {
  const covered = pattern_keys.map((pattern) => `${withoutSign(pattern)} (${ruleWords(pattern)})`);
  const scope = covered.length === 0 ? "" : `An answer for longer covers: ${covered.join(", ")}`;
  return [details, scope].map(visible);
}

type ApprovalParams = Extract<AskedRequest, { method: "approval" }>["params"];

/** The sign before a line that is covered to the letter belongs to the configuration. */
const withoutSign = (rule: string): string => rule.replace(/^=/, "");

/** Says what "always" would allow, rule by rule, and where that is kept. */
export function alwaysParts(request: AskedRequest): readonly QuestionPart[] {
  if (request.method !== "approval") return [];
  const { pattern_keys, scopes = [] } = request.params;
  const everywhere = scopes.flatMap(({ rules, folder }) => (folder === undefined ? rules : []));
  const rules = [...new Set([...everywhere, ...pattern_keys])]
    .map((pattern) => `${withoutSign(pattern)}\n  ${ruleWords(pattern)}`)
    .join("\n");
  const placed = scopes.find(({ folder }) => folder !== undefined)?.folder;
  const where =
    placed === undefined
      ? "In every session and every folder, now and later, this runs without asking:"
      : `Now and later, in every session, what you choose runs without asking. This folder is ${visible(placed)}, with all below it.`;
  return [
    { kind: "words", text: where },
    { kind: "exact", text: visible(rules) },
    {
      kind: "words",
      text: "It is kept in approvals.allowed of the configuration; /approvals lists and removes it.",
    },
  ];
}
