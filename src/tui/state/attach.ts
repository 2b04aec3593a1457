import type { Attached, TranscriptMessage } from "../gateway.ts";
import { defined } from "../../shared/json/defined.ts";
import { type Entry, interruptedEntries, note, QUEUED_RUNS } from "./entry.ts";
import { addOpen, withTrustQuestion } from "./questions.ts";
import { EMPTY_VIEW, print, type ViewState } from "./view-state.ts";

/** Of a conversation that goes on, so much of its end is printed. */
const SHOWN_MESSAGES = 30;

/** Another session is shown, or the same one again: what it says of itself takes the place of what was known. */
export function attachView(
  view: ViewState,
  attached: Attached,
  options: { readonly at: number; readonly print: boolean },
): ViewState {
  const { info, inflight, open_requests } = attached;
  const same = view.session?.id === attached.session_id;
  const { connection, version, skin, finished, lastKey, lastKind } = view;
  const base: ViewState = same
    ? { ...view, questions: [] }
    : { ...EMPTY_VIEW, connection, version, skin, finished, lastKey, lastKind };
  const talked = attached.message_count > 0 || inflight !== null;
  const session = { id: attached.session_id, info, usage: info.usage, talked };
  let next: ViewState = { ...base, session, lastAnswer: answerOf(attached) ?? base.lastAnswer };
  if (options.print) next = print(next, ...greeting(view, attached), ...history(attached));
  next = { ...next, ...beside(attached) };
  if (inflight !== null) next = resumeTurn(next, inflight, attached);
  else if (diedLast(attached)) next = { ...next, lastTurn: { outcome: "interrupted", died: true } };
  if (inflight === null && !attached.running) next = { ...next, turn: undefined, tools: [], queue: [] };
  return withTrustQuestion(open_requests.reduce((all, request) => addOpen(all, request, options.at), next));
}

/** What runs beside the turn, where the gateway says so. */
const beside = ({ background, processes }: Attached): Partial<ViewState> =>
  defined({
    background: background?.map(({ task_id: id, text }) => ({ id, text })),
    processes: processes?.map(({ process_id: id, command }) => ({ id, command })),
  });

/** The newest answer of the conversation as it came. */
const answerOf = ({ messages }: Attached): string | undefined =>
  messages.findLast(({ role, text = "" }) => role === "assistant" && text !== "")?.text;

/** The newest turn of the conversation was cut short by the end of its process. */
const diedLast = ({ messages }: Pick<Attached, "messages">): boolean =>
  messages.findLast(({ role }) => role !== "user")?.display_kind === "interrupted";

function resumeTurn(
  view: ViewState,
  inflight: NonNullable<Attached["inflight"]>,
  attached: Attached,
): ViewState {
  const { user, assistant, turn_id, started_at } = inflight;
  const startedAt = started_at * 1000;
  const known = view.turn?.id === turn_id;
  const asked: Entry[] = known ? [] : [{ kind: "user", text: user, images: 0, from: "" }];
  const said = known ? (view.turn?.said ?? 0) : 0;
  // What came before a cut is printed already: only what is new is added.
  const text = view.answer.text + assistant.slice(said);
  const turn = { id: turn_id, startedAt, doing: "", said: assistant.length, interrupting: false };
  const runs = !known && diedLast(attached) ? [QUEUED_RUNS] : [];
  return { ...print(view, ...asked, ...runs), turn, answer: { ...view.answer, text } };
}

/** At the start of the first conversation that is shown; of each other one its name, so that its beginning is seen. */
function greeting({ session, skin }: ViewState, attached: Attached): readonly Entry[] {
  const { messages, info, session_id } = attached;
  if (session !== undefined) {
    const begun = attached.message_count === 0 ? "New session" : info.title || session_id;
    return session.id === session_id ? [] : [{ kind: "greeting", title: begun, lines: [] }];
  }
  if (messages.length > 0 || skin === undefined) return [];
  const { branding, banner_logo, banner_hero } = skin;
  const lines = [banner_logo, banner_hero, branding["welcome"] ?? ""].filter((each) => each.trim() !== "");
  return [{ kind: "greeting", title: branding["agent_name"] ?? "agent", lines }];
}

function history({ messages, before }: Attached): readonly Entry[] {
  const shown = messages.slice(-SHOWN_MESSAGES);
  const hidden = messages.length - shown.length;
  const more = before === undefined ? "" : " and more";
  const earlier: readonly Entry[] =
    hidden > 0 || before !== undefined
      ? [note("info", `${hidden}${more} earlier messages: /history shows them.`)]
      : [];
  return [...earlier, ...shown.flatMap(messageEntries)];
}

function messageEntries(message: TranscriptMessage): readonly Entry[] {
  const { role, text = "", name = "", context = "", outcome = "ok", row_id, images = 0 } = message;
  switch (role) {
    case "user":
      return message.display_kind === "steer"
        ? [{ kind: "steer", text }]
        : [{ kind: "user", text, images, from: "" }];
    case "assistant":
      return text === "" ? [] : [{ kind: "answer", text, continues: false }];
    case "system":
      if (message.display_kind === "interrupted") return interruptedEntries(text);
      if (message.display_kind === "cancelled") return [{ kind: "turn", outcome: "interrupted", text }];
      if (message.display_kind === "failed") return [note("error", text)];
      return [note("info", "The conversation before was summarized for the model.")];
    case "tool": {
      // What was done is known by its title; what went wrong is not.
      const output = outcome === "ok" ? "" : (message.result_text ?? "");
      const [summary = ""] = output.trim().split("\n", 1);
      const end = { outcome, seconds: 0, summary, output };
      const label = context === "" ? name : context;
      return [
        { kind: "tool", card: { id: `${row_id}`, name, label, startedAt: 0, preview: "", diff: "", end } },
      ];
    }
  }
}
