import type { OpenRequest } from "../gateway.ts";
import { forTerminal, forTerminalLine } from "../terminal/terminal-text.ts";
import { offeredChoices } from "../state/choices.ts";

/** Longer changes are cut: the exact command is shown whole, a large diff is not. */
const SHOWN_LINES = 40;

/** A question as lines to read, its answers numbered. */
export function questionWords(request: OpenRequest): string {
  const numbered = offeredChoices(request).map(
    ({ label }, index) => `  ${index + 1}. ${forTerminalLine(label)}`,
  );
  switch (request.method) {
    case "approval": {
      const { command, inline_diff = "" } = request.params;
      return ["Allow this?", indented(command), ...changeLines(inline_diff), ...numbered].join("\n");
    }
    case "clarify": {
      const hint = numbered.length === 0 ? [] : [...numbered, "  A number, or your own words."];
      return [forTerminal(request.params.question), ...hint].join("\n");
    }
    case "sudo":
      return `The command needs your sudo password (empty to refuse):\n${indented(request.params.command)}`;
    case "secret": {
      const { prompt, env_var } = request.params;
      return `${forTerminal(prompt)} (${forTerminalLine(env_var)}; empty to skip)`;
    }
  }
}

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

function changeLines(diff: string): readonly string[] {
  if (diff === "") return [];
  const lines = forTerminal(diff).trimEnd().split("\n");
  const rest = lines.length - SHOWN_LINES;
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `  ${line}`);
  return rest > 0 ? [...shown, `  … ${rest} more lines`] : shown;
}

const indented = (text: string): string => forTerminal(text).replaceAll(/^/gm, "    ");
