import { withDetail } from "./details.ts";
import { NO_TEXT, settleAll } from "./live-text.ts";
import { print, type ViewState } from "./view-state.ts";

/** Everything of the answer so far goes to print: something else follows it. */
export function flushAnswer(view: ViewState): ViewState {
  if (view.answer.text === "") return view;
  return { ...print(view, ...settleAll(view.answer)), answer: NO_TEXT };
}

/** Everything that is still growing goes to print. */
export const flushLive = (view: ViewState, at: number): ViewState => flushThinking(flushAnswer(view), at);

/** What was thought goes to print. */
export function flushThinking(view: ViewState, at: number): ViewState {
  if (view.thinking === undefined) return view;
  const { text, since } = view.thinking;
  const next = withDetail({ ...view, thinking: undefined }, { title: "Thought", text });
  return print(next, { kind: "thinking", text, seconds: (at - since) / 1000 });
}
