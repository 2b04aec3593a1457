import type { AskedRequest } from "../gateway.ts";
import { forTerminal, forTerminalLine } from "../terminal/terminal-text.ts";
import { cutVisibly, visibleInLine } from "../../shared/text/visible.ts";
import { isHidden, offeredChoices } from "../state/choices.ts";
import { alwaysParts, questionParts } from "../state/question-parts.ts";

/** Longer parts are cut: typing `?` shows them whole. */
const LONGEST_PART = 6000;

const SHOW_ALL = "?";

/** A question as lines to read, with the lines that answer it. Nothing is left out; a long part is cut and says so. */
export const questionWords = (request: AskedRequest, number = 1): string =>
  // What asks for a password is shown whole at once: a password may be a question mark.
  wordsOf(request, number, isHidden(request) ? Number.POSITIVE_INFINITY : LONGEST_PART);

/** The whole question, when what was typed asks for it and something was cut. */
export function wholeWords(request: AskedRequest, typed: string, number = 1): string | undefined {
  if (typed.trim() !== SHOW_ALL) return undefined;
  const whole = wordsOf(request, number, Number.POSITIVE_INFINITY);
  return whole === questionWords(request, number) ? undefined : whole;
}

function wordsOf(request: AskedRequest, number: number, most: number): string {
  const rest = `${SHOW_ALL} and Enter shows all`;
  const parts = questionParts(request).map(({ kind, text }) => {
    const shown = forTerminal(cutVisibly(text, { most, rest }));
    return kind === "words" ? shown : indented(shown);
  });
  return [`Question ${number}: ${TITLES[request.method]}`, ...parts, ...answersOf(request, number)]
    .filter((line) => line !== "")
    .join("\n");
}

/** What "always" would allow, to be read before it is confirmed. */
export const alwaysText = (request: AskedRequest): string =>
  alwaysParts(request)
    .map(({ kind, text }) => (kind === "words" ? forTerminal(text) : indented(text)))
    .join("\n");

const TITLES = {
  approval: "allow this?",
  clarify: "the agent asks",
  sudo: "the command needs your sudo password",
  secret: "a value is needed",
  trust: "do you trust this folder?",
} as const;

function answersOf(request: AskedRequest, number: number): readonly string[] {
  const choices = offeredChoices(request);
  const shown = choices.map(({ label }) => forTerminalLine(visibleInLine(label)));
  switch (request.method) {
    case "approval":
      return [
        ...choices.map(({ id }, index) => `  ${approvalLine(id, number)}  ${shown[index] ?? ""}`),
        `  /deny ${number} words     Deny, and say what to do instead`,
      ];
    case "clarify":
      return [
        ...shown.map((label, index) => `  /answer ${number} ${index + 1}  ${label}`),
        `  /answer ${number} words  ${choices.length === 0 ? "Answer" : "Something else"}`,
        `  /deny ${number}  Skip the question`,
      ];
    case "trust":
      return [`  /allow ${number}  ${shown[0] ?? ""}`, `  /deny ${number}   ${shown[1] ?? ""}`];
    case "sudo":
    case "secret":
      return [`  /answer ${number}  Type it, unseen`, `  /deny ${number}  Go on without it`];
  }
}

const approvalLine = (id: string, number: number): string =>
  id === "deny" ? `/deny ${number}          ` : `/allow ${number}${id === "once" ? "" : ` ${id}`}`.padEnd(18);

const indented = (text: string): string => forTerminal(text).replaceAll(/^/gm, "    ");
