import { visible } from "../../shared/text/visible.ts";
import type { OpenRequest, Payload } from "../gateway.ts";
import { print, type Question, type ViewState } from "./view-state.ts";

/** A question as its event says it. */
export type ReceivedQuestion =
  | { readonly method: "approval"; readonly payload: Payload<"approval.request"> }
  | { readonly method: "clarify"; readonly payload: Payload<"clarify.request"> }
  | { readonly method: "sudo"; readonly payload: Payload<"sudo.request"> }
  | { readonly method: "secret"; readonly payload: Payload<"secret.request"> };

/** Adds a question behind those that are open; one that is shown already stays as it is. */
export function addQuestion(view: ViewState, asked: ReceivedQuestion & { readonly at: number }): ViewState {
  const request = requestOf(asked, view.session?.id ?? "");
  return addOpen(view, request, asked.at);
}

/** The same for a question as lists of open ones have it. */
export function addOpen(view: ViewState, request: OpenRequest, at: number): ViewState {
  const { request_id, timeout_s } = request.params;
  if (view.questions.some((each) => each.request.params.request_id === request_id)) return view;
  const until = timeout_s > 0 ? at + timeout_s * 1000 : undefined;
  return { ...view, questions: [...view.questions, { request, until, answering: false }] };
}

function requestOf(asked: ReceivedQuestion, session_id: string): OpenRequest {
  const id = asked.payload.request_id;
  switch (asked.method) {
    case "approval":
      return { id, method: "approval", params: { ...asked.payload, session_id } };
    case "clarify": {
      const { choices, ...rest } = asked.payload;
      const given = choices === null ? {} : { choices };
      return { id, method: "clarify", params: { ...rest, ...given, session_id, questions: [] } };
    }
    case "sudo":
      return { id, method: "sudo", params: { ...asked.payload, session_id } };
    case "secret":
      return { id, method: "secret", params: { ...asked.payload, session_id } };
  }
}

/** Takes a question away that has ended, and says how. */
export function resolveQuestion(view: ViewState, resolved: Payload<"approval.resolved">): ViewState {
  const question = view.questions.find((each) => each.request.params.request_id === resolved.request_id);
  if (question === undefined) return view;
  const questions = view.questions.filter((each) => each !== question);
  const answer = answerWords(question, resolved);
  return print(
    { ...view, questions },
    { kind: "answered", question: questionTitle(question.request), answer },
  );
}

/** What is asked, in a line. */
function questionTitle(request: OpenRequest): string {
  switch (request.method) {
    case "approval":
      return `Allow ${visible(request.params.command)}`;
    case "clarify":
      return request.params.question;
    case "sudo":
      return `Password for ${request.params.command}`;
    case "secret":
      return `${request.params.prompt} (${request.params.env_var})`;
  }
}

const CHOICE_WORDS = {
  once: "allowed once",
  session: "allowed for this session",
  always: "always allowed",
  deny: "denied",
} as const;

function answerWords({ request, answering }: Question, resolved: Payload<"approval.resolved">): string {
  const elsewhere = answering || resolved.by === undefined ? "" : ` (answered elsewhere: ${resolved.by})`;
  switch (resolved.outcome) {
    case "answered":
      if (resolved.choice !== undefined) {
        const words = resolved.choice === "deny" && resolved.answer ? `: ${resolved.answer}` : "";
        return CHOICE_WORDS[resolved.choice] + words + elsewhere;
      }
      // What is secret is not repeated, however it came here.
      if (request.method === "clarify") return (resolved.answer || "skipped") + elsewhere;
      return `given${elsewhere}`;
    case "expired":
      return "nobody answered in time";
    case "refused":
      return resolved.reason ?? "refused";
    case "cancelled":
      return resolved.reason ?? "not needed any more";
  }
}
