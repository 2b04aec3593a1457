import { EMPTY_EDITOR, type TextEditor } from "../input/text-editor.ts";
import type { Written } from "../input/written.ts";
import { type Recall, recallOf } from "../input/prompt-recall.ts";
import type { Overlay } from "../overlays/overlay.ts";
import { type ScreenSettings, DEFAULT_DISPLAY } from "./display-settings.ts";
import type { AskedRequest, SessionInfo } from "../gateway.ts";
import { EMPTY_VIEW, type ViewState } from "./view-state.ts";

/** The completions of the word at the caret. */
export interface CompletionList {
  readonly items: readonly { readonly text: string; readonly display: string; readonly meta: string }[];
  readonly chosen: number;
  /** Where the word begins in the text. */
  readonly from: number;
  /** Somebody went through the list: Enter takes the chosen one. */
  readonly touched: boolean;
}

/** Looking for something that was sent before, with Ctrl+R. */
interface Search {
  readonly words: string;
  /** Index of the entry that is shown. */
  readonly at: number;
}

/** The state of the composer. */
export interface Composer {
  readonly editor: TextEditor;
  readonly recall: Recall;
  readonly completion: CompletionList | undefined;
  readonly search: Search | undefined;
}

/**
 * The part of a question that takes the keys: its choices, a line for words, or the second look at what "always" would
 * allow.
 */
export type AnswerStep = "choose" | "write" | "confirm";

/** The draft of an answer to the topmost question. */
export interface AnswerDraft {
  readonly request: AskedRequest;
  /** When it came up; Unix milliseconds. */
  readonly since: number;
  /** The person has gone into the question: it has the keys. Until then the composer keeps them all. */
  readonly entered: boolean;
  readonly step: AnswerStep;
  /** Index of the choice that Enter takes; none is marked until the person does so. */
  readonly marked: number | undefined;
  /** Digits that were typed to mark it: they belong to the text when text follows. */
  readonly digits: string;
  /** Own words, a password, a value. */
  readonly typed: TextEditor;
  /** The question ended while it had the keys: they are kept away from the composer until the person has seen it. */
  readonly over: boolean;
}

/**
 * A key may be meant for what was there before a question came up: for so long, in milliseconds, ↑ does not enter it and no key marks
 * an answer on the way in.
 */
export const GRACE_MS = 400;

/** The state of the whole screen. */
export interface AppState {
  readonly view: ViewState;
  readonly composer: Composer;
  readonly answering: AnswerDraft | undefined;
  readonly overlay: Overlay | undefined;
  /** Another program has the terminal: keys are its own. */
  readonly away: boolean;
  /** A word to the person that the next key takes away. */
  readonly hint: string;
  /** What the terminal says that everything stands on. */
  readonly background: "dark" | "light" | undefined;
  /** The terminal is one of tmux's, which takes Ctrl+B for itself: pressed twice, it comes here once. */
  readonly inTmux: boolean;
  /** How the person wants it all to look. */
  readonly display: ScreenSettings;
  readonly size: { readonly columns: number; readonly rows: number };
  /** Unix milliseconds, as often as something that shows time is on the screen. */
  readonly now: number;
  /** When Enter was last pressed on nothing, Ctrl+C on anything, and Esc while no turn ran; Unix milliseconds. */
  readonly enterAt: number;
  readonly interruptAt: number;
  readonly escapeAt: number;
  /** The mode that a session had before the key that goes to planning. */
  readonly beforePlan?: { readonly sessionId: string; readonly mode: SessionInfo["mode"] };
  /** Other sessions of the gateway that wait for an answer, and all that are open. */
  readonly others: { readonly open: number; readonly waiting: number };
}

export const appState = (
  options: Pick<AppState, "size" | "now"> & {
    readonly history: readonly Written[];
    readonly inTmux?: boolean;
  },
): AppState => ({
  view: EMPTY_VIEW,
  composer: {
    editor: EMPTY_EDITOR,
    recall: recallOf(options.history),
    completion: undefined,
    search: undefined,
  },
  answering: undefined,
  overlay: undefined,
  away: false,
  hint: "",
  background: undefined,
  inTmux: options.inTmux ?? false,
  display: DEFAULT_DISPLAY,
  size: options.size,
  now: options.now,
  enterAt: 0,
  interruptAt: 0,
  escapeAt: 0,
  others: { open: 0, waiting: 0 },
});
