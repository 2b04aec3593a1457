import { OVERLAY_FRAME, overlayLines } from "../overlays/overlay-lines.ts";
import type { AppState } from "../state/app-state.ts";
import { BLANK, type Line } from "../text/line.ts";
import { composerLines, type WithCaret } from "./composer-lines.ts";
import { liveLines } from "./live-lines.ts";
import { questionLines } from "./question-lines.ts";
import { statusLine } from "./status-line.ts";

/** The part of the screen that is drawn again and again: never higher than the window. */
export interface ScreenFrame {
  readonly lines: readonly Line[];
  readonly caret: { readonly x: number; readonly y: number } | undefined;
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
  const spare = height - input.lines.length;
  const rule = spare < 1 ? [] : ruleLines(state, home);
  const room = spare - rule.length;
  const live = room < 1 ? [] : liveLines(state.view, { columns, rows: room, now: state.now, display });
  // Between what is finished and the frame.
  const gap = live.length === 0 && room > 0 && !display.compact ? [BLANK] : [];
  const isBelow = display.status === "bottom";
  const above = [...live, ...gap, ...(isBelow ? [] : rule)];
  const lines = [...above, ...input.lines, ...(isBelow ? rule : [])].slice(0, height);
  const caret = input.caret && { x: Math.min(input.caret.x, columns - 1), y: above.length + input.caret.y };
  const isShown = caret !== undefined && caret.y < height;
  return { lines, caret: isShown ? caret : undefined, columns: state.size.columns };
}

/** The status line; where none is wanted, only when it says something that must be known. */
function ruleLines(state: AppState, home: string): readonly Line[] {
  const { display, hint, view } = state;
  const isNeeded = hint !== "" || view.connection.status !== "ready";
  return display.status === "off" && !isNeeded ? [] : [statusLine(state, home)];
}

/** What takes the keys: an overlay, the question on top, or the composer. */
function inputPart(
  state: AppState,
  { columns, height }: { readonly columns: number; readonly height: number },
): WithCaret {
  const { overlay, view, answering, composer } = state;
  if (overlay !== undefined) {
    const rows = Math.max(OVERLAY_FRAME + 1, height - 3);
    return overlayLines(overlay, { columns, rows });
  }
  const [question] = view.questions;
  if (question !== undefined && answering !== undefined) {
    const options = { columns, rows: Math.max(4, height - 4), now: state.now, open: view.questions.length };
    return questionLines(question, answering, options);
  }
  const rows = Math.max(1, Math.floor(height * COMPOSER_SHARE));
  return composerLines(composer, { columns, rows, placeholder: placeholder(state) });
}

function placeholder({ view }: AppState): string {
  if (view.connection.status === "reconnecting")
    return "Your draft is kept; it can be sent when the connection is back";
  if (view.turn !== undefined)
    return "Write the next prompt; it waits in the queue (Ctrl+S adds it to this turn)";
  return "Ask anything · / for commands · @ for files · ? for help";
}
