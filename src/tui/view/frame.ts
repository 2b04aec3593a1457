import { OVERLAY_FRAME, overlayLines } from "../overlays/overlay-lines.ts";
import { hostQuestions } from "../state/questions.ts";
import { shownQuestion } from "../input/question-keys.ts";
import type { AppState } from "../state/app-state.ts";
import { BLANK, fitLine, type Line } from "../text/line.ts";
import { composerLines, type WithCaret } from "./composer-lines.ts";
import { liveLines } from "./live-lines.ts";
import { questionLines } from "./question-lines.ts";
import { statusLine } from "./status-line.ts";

/** The part of the screen that is drawn again and again: never higher than the window. */
export interface ScreenFrame extends WithCaret {
  /** The width of the window that it is made for. */
  readonly columns: number;
}

/** Of the window, what is being written may take so much at most. */
const COMPOSER_SHARE = 0.4;

/** Draws the state. Lines of the newest and most urgent come first when the window is small. */
export function composeFrame(state: AppState, home: string): ScreenFrame {
  const { display } = state;
  const columns = Math.max(8, state.size.columns);
  // One row stays free: a frame as high as the window would scroll it.
  const height = Math.max(2, state.size.rows - 1);
  const input = inputPart(state, { columns, height });
  const asked = questionPart(state, { columns, rows: height - input.lines.length - 1 });
  const spare = height - input.lines.length - asked.lines.length;
  const rule = spare < 1 ? [] : ruleLines(state, home);
  const room = spare - rule.length;
  const live =
    room < 1
      ? []
      : liveLines(state.view, { columns, rows: room, now: state.now, display, inTmux: state.inTmux });
  // Between what is finished and the frame.
  const gap = live.length === 0 && room > 0 && !display.compact ? [BLANK] : [];
  const isBelow = display.status === "bottom";
  const before = [...live, ...gap];
  const above = [...before, ...asked.lines, ...(isBelow ? [] : rule)];
  const lines = [...above, ...input.lines, ...(isBelow ? rule : [])].slice(0, height);
  // The caret is where the keys go.
  const [place, rows] = asked.hasKeys ? [asked.caret, before.length] : [input.caret, above.length];
  const caret = place && { x: Math.min(place.x, columns - 1), y: rows + place.y };
  const isShown = caret !== undefined && caret.y < height;
  return {
    // A terminal would go on in the next row with what is too long, and that row would stay behind.
    lines: lines.map((each) => fitLine(each, columns)),
    caret: isShown ? caret : undefined,
    columns: state.size.columns,
  };
}

/** The status line; where none is wanted, only when it says something that must be known. */
function ruleLines(state: AppState, home: string): readonly Line[] {
  const { display, hint, view } = state;
  const isNeeded = hint !== "" || view.connection.status !== "ready";
  return display.status === "off" && !isNeeded ? [] : [statusLine(state, home)];
}

/** An overlay, or the composer. */
function inputPart(state: AppState, { columns, height }: { columns: number; height: number }): WithCaret {
  const { overlay, composer } = state;
  if (overlay !== undefined) {
    const rows = Math.max(OVERLAY_FRAME + 1, height - 3);
    return overlayLines(overlay, { columns, rows });
  }
  const share = shownQuestion(state) === undefined ? COMPOSER_SHARE : COMPOSER_SHARE / 2;
  const rows = Math.max(1, Math.floor(height * share));
  return composerLines(composer, { columns, rows, placeholder: placeholder(state) });
}

/** The question above the composer, which has the keys only when somebody has gone into it. */
function questionPart(
  state: AppState,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): WithCaret & { readonly hasKeys: boolean } {
  const open = shownQuestion(state);
  if (open === undefined || state.overlay !== undefined || rows < 1)
    return { lines: [], caret: undefined, hasKeys: false };
  const { question, answering } = open;
  const options = { columns, rows, now: state.now, open: state.view.questions.length };
  const { lines, caret } = questionLines(question, answering, options);
  return { lines: lines.slice(0, rows), caret, hasKeys: answering.entered };
}

/** What Enter and Tab do with a prompt while a turn runs. */
const WAYS: Readonly<Record<AppState["display"]["enter"], string>> = {
  steer: "Enter adds it to this turn, Tab sends it after",
  queue: "Enter sends it after this turn, Tab adds it",
  interrupt: "Enter stops this turn for it, Tab adds it",
};

function placeholder({ view, display }: AppState): string {
  if (view.connection.status === "reconnecting")
    return "Your draft is kept; it can be sent when the connection is back";
  if (hostQuestions(view).length > 0)
    return "Write on: nothing that is typed here answers the question above";
  if (view.turn !== undefined) return `Write the next prompt: ${WAYS[display.enter]}`;
  if (view.queue.some(({ held }) => held))
    return "Enter sends what is held · Esc takes it back · or write something else";
  return "Ask anything · / for commands · @ for files · ? for help";
}
