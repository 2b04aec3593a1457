import type { Attached } from "../gateway.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Entry } from "./entry.ts";
import { addOpen, withTrustQuestion } from "./questions.ts";
import { newestAnswer, history } from "./transcript-entries.ts";
import { EMPTY_VIEW, print, type ViewState } from "./view-state.ts";

/** Another session is shown, or the same one again: what it says of itself takes the place of what was known. */
export function attachView(
  view: ViewState,
  attached: Attached,
  options: { readonly at: number; readonly print: boolean },
): ViewState {
  const { info, inflight, open_requests } = attached;
  const same = view.session?.id === attached.session_id;
  // A command of the person's own may lead to the other session, and goes on in any case.
  const { connection, version, skin, finished, lastKey, lastKind, commands } = view;
  const base: ViewState = same
    ? { ...view, questions: [] }
    : {
        ...EMPTY_VIEW,
        connection,
        version,
        skin,
        finished,
        lastKey,
        lastKind,
        commands,
        firstKey: lastKey + 1,
      };
  const talked = attached.message_count > 0 || inflight !== null;
  const session = { id: attached.session_id, info, usage: info.usage, talked };
  let next: ViewState = { ...base, session, lastAnswer: newestAnswer(attached) ?? base.lastAnswer };
  if (options.print) next = print(next, ...greeting(view, attached), ...history(attached));
  next = { ...next, ...beside(attached) };
  if (inflight !== null) next = resumeTurn(next, inflight, attached);
  else if (diedLast(attached)) next = { ...next, lastTurn: { outcome: "interrupted", died: true } };
  if (inflight === null && !attached.running) next = { ...next, turn: undefined, tools: [], queue: [] };
  // With the turn come its questions, each in its place.
  const open = isReplayed(attached) ? [] : open_requests;
  return withTrustQuestion(open.reduce((all, request) => addOpen(all, request, options.at), next));
}

/** The running turn comes as its events, from its beginning. */
const isReplayed = ({ inflight, seq }: Pick<Attached, "inflight" | "seq">): boolean =>
  inflight !== null && inflight.from === seq;

/** What runs beside the turn, where the gateway says so. */
const beside = ({ background, processes }: Attached): Partial<ViewState> =>
  defined({
    background: background?.map(({ task_id: id, text }) => ({ id, text })),
    processes: processes?.map(({ process_id: id, command }) => ({ id, command })),
  });

/** The newest turn of the conversation was cut short by the end of its process. */
const diedLast = ({ messages }: Pick<Attached, "messages">): boolean =>
  messages.findLast(({ role }) => role !== "user")?.display_kind === "interrupted";

/** The turn that runs: its events follow from its beginning, or, with an older gateway, from where it is. */
function resumeTurn(
  view: ViewState,
  inflight: NonNullable<Attached["inflight"]>,
  attached: Attached,
): ViewState {
  const { user, assistant, turn_id, started_at } = inflight;
  const startedAt = started_at * 1000;
  const known = view.turn?.id === turn_id;
  const isTold = known || isReplayed(attached);
  const asked: Entry[] = isTold ? [] : [{ kind: "user", text: user, images: 0, from: "" }];
  const said = known ? (view.turn?.said ?? 0) : 0;
  // What came before a cut is printed already: only what is new is added.
  const text = view.answer.text + assistant.slice(said);
  const turn = { id: turn_id, startedAt, doing: "", said: assistant.length, interrupting: false };
  return { ...print(view, ...asked), turn, answer: { ...view.answer, text } };
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
