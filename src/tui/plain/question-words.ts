import type { OpenRequest } from "../gateway.ts";
import { forTerminal, forTerminalLine } from "../terminal/terminal-text.ts";
import { cutVisibly, visibleInLine } from "../../shared/text/visible.ts";
import { offeredChoices } from "../state/choices.ts";
import { questionParts } from "../state/question-parts.ts";

/** Longer parts are cut: typing `?` shows them whole. */
const LONGEST_PART = 6000;

const SHOW_ALL = "?";

/** A question as lines to read, its answers numbered. Nothing is left out; a long part is cut and says so. */
export const questionWords = (request: OpenRequest): string =>
  // A password may be a question mark: what asks for one is shown whole at once.
  wordsOf(request, isHidden(request) ? Number.POSITIVE_INFINITY : LONGEST_PART);

/** The whole question, when what was typed asks for it and something was cut. */
export function wholeWords(request: OpenRequest, typed: string): string | undefined {
  if (typed.trim() !== SHOW_ALL) return undefined;
  const whole = wordsOf(request, Number.POSITIVE_INFINITY);
  return whole === questionWords(request) ? undefined : whole;
}

function wordsOf(request: OpenRequest, most: number): string {
  const parts = questionParts(request).map(({ kind, text }) => {
    const shown = forTerminal(cutVisibly(text, { most, rest: `${SHOW_ALL} and Enter shows all` }));
    return kind === "words" ? shown : indented(shown);
  });
  const numbered = offeredChoices(request).map(
    ({ label }, index) => `  ${index + 1}. ${forTerminalLine(visibleInLine(label))}`,
  );
  return [TITLES[request.method], ...parts, ...numbered, ...HINTS[request.method](numbered)]
    .filter((line) => line !== "")
    .join("\n");
}

const TITLES = {
  approval: "Allow this?",
  clarify: "",
  sudo: "The command needs your sudo password (empty to refuse):",
  secret: "A value is needed (empty to skip):",
} as const;

const HINTS: Readonly<Record<OpenRequest["method"], (choices: readonly string[]) => readonly string[]>> = {
  approval: () => [],
  clarify: (choices) => (choices.length === 0 ? [] : ["  A number, or your own words."]),
  sudo: () => [],
  secret: () => [],
};

/** What was typed as an answer: a choice, words or a value; `undefined` when it is none. */
export function answerFromLine(request: OpenRequest, typed: string): string | undefined {
  const text = typed.trim();
  const chosen = offeredChoices(request)[Number(text) - 1]?.id;
  switch (request.method) {
    case "approval":
      return chosen ?? request.params.choices.find((each) => each === text.toLowerCase());
    case "clarify":
      return chosen ?? text;
    case "sudo":
    case "secret":
      return typed;
  }
}

/** Whether the answer must not be seen. */
export const isHidden = ({ method }: OpenRequest): boolean => method === "sudo" || method === "secret";

const indented = (text: string): string => forTerminal(text).replaceAll(/^/gm, "    ");
