import { EMPTY_EDITOR, insert, move, paste } from "./text-editor.ts";
import { expanded } from "./written.ts";
import type { Client } from "../client.ts";
import type { AskedRequest } from "../gateway.ts";
import { type AnswerDraft, type AppState, GRACE_MS } from "../state/app-state.ts";
import type { Question } from "../state/view-state.ts";
import {
  BACK,
  choicesOf,
  DENY_IN_WORDS,
  digitOf,
  firstStep,
  isHidden,
  OWN_WORDS,
  SKIP,
} from "../state/choices.ts";
import { wholeQuestion } from "../state/question-parts.ts";
import { editKey } from "./edit-keys.ts";
import type { Press } from "./press.ts";

/**
 * How the question on top is being answered, if there is one. It begins anew with each question: none has the keys, and
 * nothing is marked. One that ends while it has the keys stays, so that the rest of an answer goes nowhere.
 */
export function answeringOf({ view, answering }: AppState, now: number): AnswerDraft | undefined {
  const request = view.questions[0]?.request;
  if (answering !== undefined) {
    const { entered, over } = answering;
    const id = answering.request.params.request_id;
    const isOpen = view.questions.some((each) => each.request.params.request_id === id);
    if (over || (entered && isOpen)) return answering;
    if (entered) return { ...answering, over: true };
    if (request?.params.request_id === id) return answering;
  }
  return request === undefined ? undefined : { request, since: now, over: false, ...unentered(request) };
}

type Unentered = Pick<AnswerDraft, "entered" | "step" | "marked" | "digits" | "typed">;

const unentered = (request: AskedRequest): Unentered => ({
  entered: false,
  step: firstStep(request),
  ...UNMARKED,
  typed: EMPTY_EDITOR,
});

/** A question, and how it is being answered. */
export interface OpenAnswer {
  readonly question: Question;
  readonly answering: AnswerDraft;
}

/** The question that is shown: the one that is being answered, also when it is over by now, or the one on top. */
export function shownQuestion({ view, answering }: AppState): OpenAnswer | undefined {
  if (answering === undefined) return undefined;
  const { request } = answering;
  const id = request.params.request_id;
  const open = view.questions.find((each) => each.request.params.request_id === id);
  return { question: open ?? { request, until: undefined, answering: false }, answering };
}

/**
 * A key of the composer that is the question's: those that go into it, and the one that shows it whole. Alt and a digit mark an
 * answer on the way in, but not in a question that has only just come up.
 */
export function approachKey(client: Client, open: OpenAnswer, { name }: Press): boolean {
  const { composer } = client.store.state;
  const isIdle = composer.editor.text === "" && composer.search === undefined;
  const isSettled = client.now() - open.answering.since >= GRACE_MS;
  const choice = choiceAt(open, altDigit(name));
  if (name === "ctrl+o") showWhole(client, open.question);
  else if (choice !== undefined) enter(client, open, isSettled ? choice : undefined);
  else if (name === "alt+a" || (name === "up" && isIdle && isSettled)) enter(client, open);
  else return false;
  return true;
}

function enter({ store }: Client, { question, answering }: OpenAnswer, marked?: number): void {
  const { composer } = store.state;
  if (question.answering) return;
  store.update({
    answering: { ...answering, entered: true, marked },
    composer: { ...composer, completion: undefined, search: undefined },
  });
}

/** The digit of a key such as `alt+1`. */
const altDigit = (name: string): string | undefined => /^alt\+([1-9])$/.exec(name)?.[1];

/** The index of the choice that a digit marks. */
function choiceAt({ question, answering }: OpenAnswer, digit: string | undefined): number | undefined {
  const choices = choicesOf(question.request, answering.step);
  const index = choices.findIndex((choice, at) => String(digitOf(choice, at)) === digit);
  return index < 0 ? undefined : index;
}

function showWhole(client: Client, { request }: Question): void {
  client.dialogs.read({ title: "What is asked", text: wholeQuestion(request), format: "diff" });
}

/** A key while a question has the keys. @returns whether it was the question's; else it is the composer's */
export function questionKey(client: Client, open: OpenAnswer, press: Press): boolean {
  const { answering, question } = open;
  if (answering.over) return endedKey(client, open, press);
  if (press.name === "ctrl+o") showWhole(client, question);
  else if (press.name === "alt+a") leave(client, answering);
  else if (press.name === "escape") back(client, open);
  else if (answering.step === "write") writingKey(client, open, press);
  else return choosingKey(client, open, press);
  return true;
}

/** A paste goes into the line that is written; it never answers. @returns whether it was the question's */
export function questionPaste(client: Client, { answering }: OpenAnswer, text: string): boolean {
  const { store } = client;
  if (answering.step === "write") {
    const flat = text.replaceAll(/[\r\n]+/g, " ");
    store.update({ answering: { ...answering, typed: paste(answering.typed, flat) } });
    return true;
  }
  leaveTyping(client, answering);
  return false;
}

/** The keys are the composer's again; what was written of an answer stays. */
function leave({ store }: Client, answering: AnswerDraft): void {
  store.update({ answering: { ...answering, entered: false, ...UNMARKED } });
}

const UNMARKED = { marked: undefined, digits: "" } as const;

/** Text was meant for the composer, and so were the digits just before it. */
function leaveTyping(client: Client, answering: AnswerDraft): void {
  const { store } = client;
  const { composer } = store.state;
  leave(client, answering);
  store.update({ composer: { ...composer, editor: insert(composer.editor, answering.digits) } });
}

function back(client: Client, { question, answering }: OpenAnswer): void {
  const step = firstStep(question.request);
  if (answering.step === step) return leave(client, answering);
  client.store.update({ answering: { ...answering, step, ...UNMARKED } });
}

/** Everything is kept from the composer until Enter or Esc; words that are no secret then go there. */
function endedKey(client: Client, open: OpenAnswer, press: Press): boolean {
  const { store } = client;
  const { answering } = open;
  const isWriting = answering.step === "write";
  const isLetter = press.name === "text" && !isWriting && !/^\d$/.test(press.text);
  if (press.name !== "enter" && press.name !== "escape" && !isLetter) {
    const typed = isWriting ? editKey(answering.typed, press) : undefined;
    if (typed !== undefined) store.update({ answering: { ...answering, typed } });
    return true;
  }
  wordsToPrompt(client, open);
  store.update({ answering: undefined });
  return !isLetter;
}

/** Words that were written for an answer and are not sent with one go to the prompt, unless they are secret. */
function wordsToPrompt({ store }: Client, { question, answering }: OpenAnswer): void {
  const words = isHidden(question.request) ? "" : expanded(answering.typed);
  if (words === "") return;
  const { composer } = store.state;
  const end = move(composer.editor, "textEnd");
  const editor = insert(end, `${end.text === "" ? "" : "\n"}${words}`);
  store.update({ composer: { ...composer, editor } });
}

interface Answer {
  readonly value: string;
  readonly note?: string;
}

/** Sends a choice. Words that were written before it was chosen are not part of it. */
function sendChoice(client: Client, open: OpenAnswer, value: string): void {
  wordsToPrompt(client, open);
  send(client, open, { value });
}

/** Sends an answer. The question lets go of the keys at once. */
function send(client: Client, { question, answering }: OpenAnswer, answer: Answer): void {
  client.store.update({ answering: { ...answering, ...unentered(question.request) } });
  client.controller.run(client.controller.answer(question.request, answer.value, answer.note));
}

function writingKey(client: Client, open: OpenAnswer, press: Press): void {
  const { answering, question } = open;
  const words = expanded(answering.typed);
  if (press.name === "enter") {
    const isNote = question.request.method === "approval";
    return send(client, open, isNote ? { value: "deny", note: words.trim() } : { value: words });
  }
  const typed = editKey(answering.typed, press);
  if (typed !== undefined) client.store.update({ answering: { ...answering, typed } });
}

/** Marks and takes choices. Text that is no digit of a choice was meant for the composer, and goes there. */
function choosingKey(client: Client, open: OpenAnswer, { name, text }: Press): boolean {
  const { question, answering } = open;
  const choices = choicesOf(question.request, answering.step);
  const mark = (at: number, digits = ""): void => {
    const marked = Math.max(0, Math.min(choices.length - 1, at));
    client.store.update({ answering: { ...answering, marked, digits } });
  };
  const chorded = choiceAt(open, altDigit(name));
  if (chorded !== undefined) return (mark(chorded), true);
  switch (name) {
    case "up":
      // With nothing marked it may be meant for what was sent before.
      if (answering.marked !== undefined) mark(answering.marked - 1);
      return true;
    case "down":
    case "tab":
      mark((answering.marked ?? -1) + 1);
      return true;
    case "enter":
      if (answering.marked !== undefined) take(client, open, choices[answering.marked]?.id);
      return true;
    case "text": {
      const index = choiceAt(open, text);
      if (index === undefined) leaveTyping(client, answering);
      else mark(index, answering.digits + text);
      return index !== undefined;
    }
    default:
      return true;
  }
}

function take(client: Client, open: OpenAnswer, id: string | undefined): void {
  const go = (step: AnswerDraft["step"]): void =>
    client.store.update({ answering: { ...open.answering, step, ...UNMARKED } });
  switch (id) {
    case undefined:
      return;
    case OWN_WORDS:
    case DENY_IN_WORDS:
      return go("write");
    case BACK:
      return go("choose");
    case SKIP:
      return sendChoice(client, open, "");
    case "always":
      if (open.question.request.method === "approval" && open.answering.step === "choose")
        return go("confirm");
      return sendChoice(client, open, id);
    default:
      return sendChoice(client, open, id);
  }
}
