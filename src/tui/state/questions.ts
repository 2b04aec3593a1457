import { placeWords } from "../../shared/text/surface-words.ts";
import { visible } from "../../shared/text/visible.ts";
import type { AskedRequest, Payload } from "../gateway.ts";
import { longBeginning, splitQuestion } from "./question-parts.ts";
import { print, type Question, type ViewState } from "./view-state.ts";

/** Adds a question behind those that are open; one that is shown already stays as it is. */
export function addOpen(view: ViewState, request: AskedRequest, at: number): ViewState {
  const { request_id, timeout_s } = request.params;
  if (view.questions.some((each) => each.request.params.request_id === request_id)) return view;
  const until = timeout_s > 0 ? at + timeout_s * 1000 : undefined;
  const own = view.questions.filter((each) => each.request.method === "trust");
  const before = longBeginning(request);
  const shown = before === "" ? view : print(view, { kind: "answer", text: before, continues: false });
  return { ...shown, questions: [...hostQuestions(view), { request, until, answering: false }, ...own] };
}

/**
 * Asks whether the folder of the shown session is trusted, as long as files of it are left out and nobody has decided; it stands
 * behind the questions of the host, and before none.
 */
export function withTrustQuestion(view: ViewState): ViewState {
  const { session } = view;
  const { folder, files, decided } = session?.info.untrusted ?? { folder: "", files: [], decided: true };
  const request_id = `trust ${folder}`;
  const others = view.questions.filter(({ request }) => request.method !== "trust");
  const known = view.questions.find(({ request }) => request.params.request_id === request_id);
  if (session === undefined || decided)
    return others.length === view.questions.length ? view : { ...view, questions: others };
  if (known !== undefined) return view;
  const params = { session_id: session.id, request_id, timeout_s: 0, folder, files };
  const request = { id: request_id, method: "trust", params } as const;
  return { ...view, questions: [...others, { request, until: undefined, answering: false }] };
}

/** The questions that a turn waits for: the client's own keep nothing waiting. */
export const hostQuestions = (view: ViewState): readonly Question[] =>
  view.questions.filter(({ request }) => request.method !== "trust");

/** The call that waits to be allowed, and has not begun. */
const waitingCall = ({ request }: Question): string | undefined =>
  request.method === "approval" ? request.params.tool_id : undefined;

/** Whether a call waits to be allowed. */
export const isWaiting = ({ questions }: ViewState, callId: string): boolean =>
  questions.some((each) => waitingCall(each) === callId);

/** Takes a question away that has ended, and says how; a call that waited for it begins now. */
export function resolveQuestion(
  view: ViewState,
  resolved: Payload<"approval.resolved">,
  at: number,
): ViewState {
  const question = view.questions.find((each) => each.request.params.request_id === resolved.request_id);
  if (question === undefined) return view;
  const questions = view.questions.filter((each) => each !== question);
  const answer = answerWords(question, resolved);
  const begun = waitingCall(question);
  const tools = view.tools.map((card) => (card.id === begun ? { ...card, startedAt: at } : card));
  return print(
    { ...view, questions, tools },
    { kind: "answered", question: questionTitle(question.request), answer },
  );
}

/** What is asked, in a line. */
function questionTitle(request: AskedRequest): string {
  switch (request.method) {
    case "approval":
      return `Allow ${visible(request.params.command)}`;
    case "clarify":
      return splitQuestion(request.params.question).asked;
    case "sudo":
      return `Password for ${request.params.command}`;
    case "trust":
      return `Trust ${visible(request.params.folder)}`;
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
  const elsewhere =
    answering || resolved.by === undefined ? "" : ` (answered from ${placeWords(resolved.by)})`;
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
