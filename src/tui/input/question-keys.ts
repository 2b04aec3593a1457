import { EMPTY_EDITOR, expanded, paste } from "./text-editor.ts";
import type { Client } from "../client.ts";
import { openPager } from "../commands.ts";
import type { OpenRequest } from "../gateway.ts";
import type { AnswerDraft, AppState } from "../state/app-state.ts";
import type { Question } from "../state/view-state.ts";
import { choicesOf, OWN_WORDS } from "../state/choices.ts";
import { wholeQuestion } from "../state/question-parts.ts";
import { editKey } from "./edit-keys.ts";
import type { Press } from "./press.ts";

/** How the question on top is being answered, if there is one: it begins anew with each question. */
export function answeringOf({ view, answering }: AppState, now: number): AnswerDraft | undefined {
  const request = view.questions[0]?.request;
  if (request === undefined) return undefined;
  const requestId = request.params.request_id;
  if (answering?.requestId === requestId) return answering;
  return { requestId, since: now, chosen: 0, typed: EMPTY_EDITOR, writing: choicesOf(request).length === 0 };
}

interface Open {
  readonly question: Question;
  readonly answering: AnswerDraft;
}

/** A key while a question is open. */
export function questionKey(client: Client, open: Open, press: Press): void {
  const { question, answering } = open;
  if (question.answering) return;
  if (press.name === "ctrl+o") {
    return openPager(client, {
      title: "What is asked",
      text: wholeQuestion(question.request),
      format: "diff",
    });
  }
  if (press.name === "escape") return refuse(client, open);
  if (answering.writing) return writingKey(client, open, press);
  choosingKey(client, open, press);
}

/** A paste goes into the line that is written; it never answers. */
export function questionPaste({ store }: Client, { answering }: Open, text: string): void {
  if (!answering.writing) return;
  const flat = text.replaceAll(/[\r\n]+/g, " ");
  store.update({ answering: { ...answering, typed: paste(answering.typed, flat) } });
}

function refuse(client: Client, { question, answering }: Open): void {
  const { request } = question;
  if (answering.writing && choicesOf(request).length > 0)
    return client.store.update({ answering: { ...answering, writing: false } });
  send(client, request, request.method === "approval" ? "deny" : "");
}

function send(client: Client, request: OpenRequest, value: string): void {
  client.controller.run(client.controller.answer(request, value));
}

function writingKey(client: Client, { question, answering }: Open, press: Press): void {
  if (press.name === "enter") return send(client, question.request, expanded(answering.typed));
  const typed = editKey(answering.typed, press);
  if (typed !== undefined) client.store.update({ answering: { ...answering, typed } });
}

function choosingKey(client: Client, { question, answering }: Open, { name, text }: Press): void {
  const choices = choicesOf(question.request);
  const choose = (chosen: number): void =>
    client.store.update({ answering: { ...answering, chosen: (chosen + choices.length) % choices.length } });
  switch (name) {
    case "up":
      return choose(answering.chosen - 1);
    case "down":
    case "tab":
      return choose(answering.chosen + 1);
    case "enter":
      return take(client, { question, answering }, answering.chosen);
    case "text": {
      const number = /^[1-9]$/.test(text) ? Number(text) - 1 : -1;
      if (choices[number] !== undefined) return take(client, { question, answering }, number);
      return;
    }
    default:
  }
}

function take(client: Client, { question, answering }: Open, index: number): void {
  const choice = choicesOf(question.request)[index];
  if (choice === undefined) return;
  if (choice.id === OWN_WORDS) return client.store.update({ answering: { ...answering, writing: true } });
  send(client, question.request, choice.id);
}
