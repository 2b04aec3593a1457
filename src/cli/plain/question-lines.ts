import type { Answer, ApprovalChoice, QuestionRequest } from "../../core/index.ts";
import { forTerminal, forTerminalLine } from "../../tui/terminal-text.ts";

const CHOICE_WORDS: Readonly<Record<ApprovalChoice, string>> = {
  once: "Allow once",
  session: "Allow for this session",
  always: "Allow always",
  deny: "Deny",
};

/** Longer content is cut: the exact command is shown whole, a large diff is not. */
const SHOWN_LINES = 40;

/** A question as lines to read, its answers numbered. */
export function questionText(request: QuestionRequest): string {
  switch (request.type) {
    case "approval.request": {
      const numbered = request.choices.map(
        (choice, index) => `  ${index + 1}. ${choiceWords(request, choice)}`,
      );
      return ["Allow this?", indented(request.command), ...contentLines(request), ...numbered].join("\n");
    }
    case "clarify.request": {
      const numbered = request.choices.map((choice, index) => `  ${index + 1}. ${forTerminalLine(choice)}`);
      const hint = numbered.length === 0 ? [] : [...numbered, "  A number, or your own words."];
      return [forTerminal(request.question), ...hint].join("\n");
    }
    case "sudo.request":
      return `The command needs your sudo password (empty to refuse):\n${indented(request.command)}`;
    case "secret.request":
      return `${forTerminal(request.prompt)} (${forTerminalLine(request.envVar)}; empty to skip)`;
  }
}

/** What was typed as an answer; `undefined` when it is none. */
export function answerTo(request: QuestionRequest, typed: string): Answer | undefined {
  const text = typed.trim();
  switch (request.type) {
    case "approval.request": {
      const choice =
        request.choices[Number(text) - 1] ?? request.choices.find((each) => each === text.toLowerCase());
      return choice === undefined ? undefined : { choice };
    }
    case "clarify.request":
      return { text: request.choices[Number(text) - 1] ?? text };
    case "sudo.request":
    case "secret.request":
      return { text: typed };
  }
}

function choiceWords(
  request: Extract<QuestionRequest, { type: "approval.request" }>,
  choice: ApprovalChoice,
): string {
  const scope =
    choice === "session" || choice === "always"
      ? `: ${request.patterns.map(forTerminalLine).join(", ")}`
      : "";
  return `${CHOICE_WORDS[choice]}${scope}`;
}

function contentLines({
  content = [],
}: Extract<QuestionRequest, { type: "approval.request" }>): readonly string[] {
  return content.flatMap((part) => {
    if (part.type !== "diff") return [];
    const lines = [...removed(part.oldText ?? ""), ...added(part.newText)];
    const shown = lines.slice(0, SHOWN_LINES);
    const rest = lines.length - shown.length;
    return [`  ${forTerminalLine(part.path)}`, ...shown, ...(rest > 0 ? [`  … ${rest} more lines`] : [])];
  });
}

const linesOf = (text: string): readonly string[] =>
  text === "" ? [] : forTerminal(text).replace(/\n$/, "").split("\n");
const removed = (text: string): readonly string[] => linesOf(text).map((line) => `  - ${line}`);
const added = (text: string): readonly string[] => linesOf(text).map((line) => `  + ${line}`);
const indented = (text: string): string => forTerminal(text).replaceAll(/^/gm, "    ");
