import { visible } from "../../shared/text/visible.ts";
import type { QuestionRequest } from "../events/question-events.ts";

/**
 * The text of a question as every view shows it. Nothing in it is invisible and nothing is left out: a view that has no
 * room marks what it cuts.
 */
export interface QuestionText {
  /** What would run or change, letter by letter; empty where only words are asked for. */
  readonly exact: string;
  /** The question in words, or what has to be known about it: why it is asked, the folder, doubts, who asks. */
  readonly words: string;
  /** What an answer for longer than once would cover. */
  readonly patterns: readonly string[];
}

/** Makes the text of a question. No view reads a question's words in any other way. */
export function questionText(request: QuestionRequest): QuestionText {
  switch (request.type) {
    case "approval.request": {
      const { command, description, patterns, reasons = [] } = request;
      const why = reasons.length === 0 ? [] : [`It ${listed(reasons)}.`];
      const words = visible([...why, description].filter((each) => each !== "").join("\n"));
      return { exact: visible(command), words, patterns: patterns.map(visible) };
    }
    case "clarify.request":
      return { exact: "", words: visible(request.question), patterns: [] };
    case "sudo.request": {
      const { command, child } = request;
      const words = child === undefined ? "" : `Asked by a subagent: ${visible(child.goal)}`;
      return { exact: visible(command), words, patterns: [] };
    }
    case "secret.request":
      return { exact: "", words: visible(request.prompt), patterns: [] };
  }
}

const listed = (reasons: readonly string[]): string =>
  reasons.length < 2 ? reasons.join("") : `${reasons.slice(0, -1).join(", ")} and ${reasons.at(-1) ?? ""}`;
