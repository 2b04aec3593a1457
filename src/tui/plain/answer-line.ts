import type { AskedRequest } from "../gateway.ts";
import { alwaysScopes, isHidden, offeredChoices } from "../state/choices.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { alwaysText } from "./question-words.ts";

/** A line that answers a question: `/allow 1`, `/deny 2 not there`, `/answer 3 yes`. */
export interface AnswerLine {
  readonly verb: "allow" | "deny" | "answer";
  /** The number of the question; `undefined` when none was given. */
  readonly number: number | undefined;
  readonly words: string;
}

/** The meaning of an answer line for its question. */
export type AnswerIntent =
  /** It is answered; `note` are words for the model. */
  | { readonly type: "answer"; readonly value: string; readonly note: string }
  /** The next line is the value. It is not shown. */
  | { readonly type: "hidden" }
  /** Nothing was answered, for this reason. */
  | { readonly type: "say"; readonly text: string };

/** Reads a line that answers a question; `undefined` for every other line. */
export function readAnswerLine(typed: string): AnswerLine | undefined {
  const [, verb = "", number, words = ""] =
    /^\/(allow|deny|answer)(?![\w-])(?:\s+(\d{1,9})(?!\S))?\s*([\s\S]*)$/i.exec(typed.trim()) ?? [];
  const lower = verb.toLowerCase();
  if (lower !== "allow" && lower !== "deny" && lower !== "answer") return undefined;
  return { verb: lower, number: number === undefined ? undefined : Number(number), words: words.trim() };
}

/** Says what a line means for a question. Nothing is allowed for ever before that was shown and confirmed. */
export function readIntent(
  request: AskedRequest,
  { verb, words, number = 0 }: AnswerLine,
  { wasShown }: { readonly wasShown: boolean },
): AnswerIntent {
  if (verb === "deny") return { type: "answer", value: refusalOf(request), note: words };
  if (request.method === "approval" || request.method === "trust")
    return verb === "allow"
      ? allowance(request, { words: words.toLowerCase(), number, wasShown })
      : say(`This takes /allow ${number} or /deny ${number}.`);
  if (verb === "allow") return say(`This takes /answer ${number} or /deny ${number}.`);
  if (isHidden(request)) return words === "" ? { type: "hidden" } : answer(words);
  if (words === "") return say(`The answer is missing: /answer ${number} and the words.`);
  return answer(offeredChoices(request)[Number(words) - 1]?.id ?? words);
}

/** What stands for a refusal: nothing, where words are asked for. */
const refusalOf = ({ method }: AskedRequest): string =>
  method === "approval" || method === "trust" ? "deny" : "";

const answer = (value: string): AnswerIntent => ({ type: "answer", value, note: "" });
const say = (text: string): AnswerIntent => ({ type: "say", text });

interface Allowance {
  readonly words: string;
  readonly number: number;
  readonly wasShown: boolean;
}

function allowance(request: AskedRequest, { words, number, wasShown }: Allowance): AnswerIntent {
  const [scope = "", yes = ""] = words === "" ? ["once"] : words.split(/\s+/);
  const offered = offeredChoices(request).map(({ id }) => id);
  if (scope === "deny" || !offered.includes(scope)) {
    const scopes = offered.filter((each) => each !== "deny" && each !== "once");
    const rest = scopes.length === 0 ? "" : `, or that and one of: ${scopes.join(", ")}`;
    return say(`It was not answered: "${words}" is no way to allow it. Type /allow ${number}${rest}.`);
  }
  if (scope !== "always") return answer(scope);
  const scopes = alwaysScopes(request);
  const meant = scopes.length === 0 ? (yes === "yes" ? "always" : undefined) : scopes[Number(yes) - 1]?.id;
  if (meant !== undefined && wasShown) return answer(meant);
  const lines = scopes.map(
    ({ label }, at) => `  /allow ${number} always ${at + 1}  ${forTerminalLine(label)}`,
  );
  const how = lines.length === 0 ? `/allow ${number} always yes does that.` : lines.join("\n");
  return say(`${alwaysText(request)}\n${how}`);
}
