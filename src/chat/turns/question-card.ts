import {
  type ApprovalChoice,
  type QuestionRequest,
  questionText,
  type Resolution,
} from "../../core/index.ts";
import { placeWords } from "../../shared/text/surface-words.ts";
import type { Button } from "../port/outgoing.ts";
import type { ChatPlace, Person } from "../port/place.ts";

/** A question as it is shown in a chat. */
export interface QuestionCard {
  /** Markdown. */
  readonly text: string;
  readonly buttons: readonly Button[];
}

/** An answer to a question, as a button or a number gives it. */
export type CardAnswer = { readonly choice: ApprovalChoice } | { readonly text: string };

const CHOICES: Readonly<Record<ApprovalChoice, string>> = {
  once: "Allow once",
  session: "Allow in this conversation",
  always: "Always allow",
  deny: "Deny",
};
const LONGEST_EXACT = 2000;
const SHORTEST_EXACT = 200;
/** Characters for the fence, what stands between, and what a platform's own marks add. */
const ROOM_AROUND = 100;
const LONGEST_LABEL = 60;

/** The answers that a question offers, in order. */
export function offeredAnswers(
  request: QuestionRequest,
): readonly { readonly label: string; readonly answer: CardAnswer }[] {
  if (request.type === "approval.request")
    return request.choices.map((choice) => ({ label: CHOICES[choice], answer: { choice } }));
  if (request.type !== "clarify.request") return [];
  return request.choices.map((text) => ({ label: text.slice(0, LONGEST_LABEL), answer: { text } }));
}

/** The look of a card. */
export interface CardLook {
  readonly buttons: boolean;
  /** Stands above the question; nothing by default. */
  readonly above?: string;
  /** Says how a number is given where there are no buttons; the next message is it by default. */
  readonly hint?: string;
  /** Characters that it may have: what would run is cut to fit, and the card says so. */
  readonly room?: number;
}

/** Makes the card of a question: with buttons, or with numbers to answer by. */
export function questionCard(
  request: QuestionRequest,
  {
    buttons: hasButtons,
    above = "",
    hint = "Answer with a number.",
    room = Number.POSITIVE_INFINITY,
  }: CardLook,
): QuestionCard {
  const { exact, words, patterns } = questionText(request);
  const offered = offeredAnswers(request);
  const buttons = offered.map(({ label }, index) => ({ label, value: `q:${request.requestId}:${index}` }));
  const numbers = offered.map(({ label }, index) => `${index + 1}. ${label}`).join("\n");
  const before = [above, request.type === "approval.request" ? "**May I do this?**" : ""];
  const after = [
    words,
    patterns.length === 0
      ? ""
      : `Allowing it for longer covers: ${patterns.map((each) => `\`${each}\``).join(", ")}`,
    hasButtons || offered.length === 0 ? "" : `${numbers}\n\n${hint}`,
    request.type === "clarify.request" ? "_Answer with your next message._" : "",
  ];
  const left = room - [...before, ...after].join("\n\n").length - ROOM_AROUND;
  const middle = exact === "" ? "" : fenced(exact, Math.max(SHORTEST_EXACT, Math.min(LONGEST_EXACT, left)));
  const text = [...before, middle, ...after].filter((line) => line !== "").join("\n\n");
  return { text, buttons: hasButtons ? buttons : [] };
}

/** A fence that nothing in the text can end. */
function fenced(exact: string, longest: number): string {
  const shown = exact.length > longest ? `${exact.slice(0, longest).toWellFormed()} […]` : exact;
  const ticks = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(ticks + 1);
  return `${fence}\n${shown}\n${fence}`;
}

/** The question and the answer that a button's value means; `undefined` for the value of none of ours. */
export function readClick(value: string): { readonly requestId: string; readonly index: number } | undefined {
  const [, requestId, index] = /^q:([\w-]{1,40}):(\d{1,2})$/.exec(value) ?? [];
  return requestId === undefined ? undefined : { requestId, index: Number(index) };
}

/** The answer that a message is to an open question; `undefined` when it is none. */
export function readAnswer(
  request: QuestionRequest,
  text: string,
  hasButtons: boolean,
): CardAnswer | undefined {
  const number = /^(\d{1,2})(?:\s*[.)])?$/.exec(text.trim())?.[1];
  const offered = number === undefined ? undefined : offeredAnswers(request)[Number(number) - 1]?.answer;
  if (request.type === "clarify.request") return offered ?? { text: text.trim() };
  return hasButtons ? undefined : offered;
}

/** A name as it may stand in Markdown: it is chosen by whoever bears it. */
const shownName = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{M}\p{N} .:_'-]/gu, " ")
    .slice(0, 80)
    .trim() || "somebody";

/** Who asked for the work that an approval is for, and where, for people in other chats. Markdown. */
export function askedWords(
  title: string,
  { from, place }: { readonly from: Person; readonly place: ChatPlace },
): string {
  const where = place.kind === "direct" ? "a direct message" : "a channel";
  return `Asked on ${title} by ${shownName(from.name)} (\`${from.id.replaceAll(/[\s`]/g, "")}\`), in ${where}.`;
}

/** The end of a question of which nothing else is known. */
export const OVER_WORDS = "— It is over.";

/** What was decided, and by whom. */
export function decidedWords(resolution: Resolution, nameOf: (client: string) => string): string {
  switch (resolution.outcome) {
    case "answered": {
      const { by, choice, text } = resolution;
      const who =
        by.surface === "chat" ? `by ${shownName(nameOf(by.client ?? ""))}` : `from ${placeWords(by.surface)}`;
      const what = choice === undefined ? `Answered: ${(text ?? "").slice(0, 200)}` : DECIDED[choice];
      return `— ${what}, ${who}`;
    }
    case "expired":
      return "— Nobody answered in time.";
    case "refused":
    case "cancelled":
      return `— Not answered: ${resolution.reason}`;
  }
}

const DECIDED: Readonly<Record<ApprovalChoice, string>> = {
  once: "Allowed once",
  session: "Allowed in this conversation",
  always: "Allowed from now on",
  deny: "Denied",
};
