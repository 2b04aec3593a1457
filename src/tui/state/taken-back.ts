import { counted } from "../../shared/text/counted.ts";
import { namedFiles } from "../../shared/text/named-files.ts";
import type { Payload, Result } from "../gateway.ts";
import { newestAnswer, history } from "./transcript-entries.ts";
import { type Entry, note } from "./entry.ts";
import { print, type ViewState } from "./view-state.ts";

/** Turns were taken back, which takes them off the screen, or the past was summarized. */
export function changeHistory(view: ViewState, changed: Payload<"history.changed">): ViewState {
  const words = note("info", historyWords(changed, view.session?.info.cwd));
  return print(changed.reason === "undo" ? takeBack(view, changed) : view, words);
}

function takeBack(view: ViewState, { turns = 1, before }: Payload<"history.changed">): ViewState {
  const { prompts, firstKey, details } = view;
  const from = prompts.at(-turns) ?? firstKey;
  const next = print(view, { kind: "takenBack", from, before });
  return {
    ...next,
    prompts: prompts.filter((key) => key < from),
    details: details.filter(({ after }) => after < from),
    lastAnswer: "",
    // What stays is the end of a turn.
    lastKind: "turn",
  };
}

/** The conversation as it is since turns were taken back. */
export interface ShownAgain {
  /** The key of the entry that took them off the screen, and the session that it stands in. */
  readonly key: number;
  readonly sessionId: string;
  /** The end of the conversation; absent when it could not be had. */
  readonly page: Pick<Result<"session.history">, "messages" | "before"> | undefined;
  /** It has to be printed: what was taken back could not be told from the rest of the window. */
  readonly whole: boolean;
}

/** Goes on with printing once turns have left the screen: with what is left of the conversation, where that left too. */
export function showAgain(view: ViewState, { key, sessionId, page, whole }: ShownAgain): ViewState {
  const at = view.finished.findIndex((each) => each.key === key);
  if (at === -1) return view;
  const before = view.finished.slice(0, at);
  const rest = view.finished.slice(at + 1);
  const isShown = view.session?.id === sessionId;
  const lastAnswer = (isShown && page && newestAnswer(page)) || view.lastAnswer;
  const next = { ...view, finished: [...before, ...rest], lastAnswer };
  // Who took back once more is shown all of it then.
  if (whole || !isShown || page === undefined || rest.some(({ entry }) => entry.kind === "takenBack"))
    return next;
  const again = { ...next, finished: before, firstKey: view.lastKey + 1, prompts: [], lastKind: undefined };
  return print(again, AS_IT_IS, ...history(page), ...rest.map(({ entry }) => entry));
}

const AS_IT_IS: Entry = {
  kind: "greeting",
  title: "The conversation as it is now",
  lines: ["Turns were taken back. What stands above this line is from before."],
};

function historyWords(
  { reason, turns = 1, files = [], restored = 0 }: Payload<"history.changed">,
  cwd = "",
): string {
  if (reason === "compress") return "The older part of the conversation was summarized for the model.";
  const took = `Took back ${counted(turns, "turn")}.`;
  if (files.length === 0) return restored > 0 ? took : `${took} Files stay as they are.`;
  return `${took} Left changed: ${namedFiles(files, cwd)}. /diff shows how, /rewind puts files back.`;
}
