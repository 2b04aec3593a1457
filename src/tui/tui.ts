import type { Client } from "./client.ts";
import { isCommand } from "./command-text.ts";
import { runClientCommand } from "./commands.ts";
import { codeBlocks, copySequence } from "./terminal/clipboard.ts";
import { Completing } from "./input/completing.ts";
import { paste, setText, setWritten } from "./input/text-editor.ts";
import { type Written, withoutPastes } from "./input/written.ts";
import { learnLooks } from "./display-command.ts";
import { recallOf } from "./input/prompt-recall.ts";
import type { Attached, Gateway } from "./gateway.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import type { DraftStore } from "./draft-store.ts";
import { change } from "./input/change.ts";
import { composerKey } from "./input/composer-keys.ts";
import { forgetOtherStops, interruptKey } from "./input/stop-keys.ts";
import { fieldPaste } from "./input/field-keys.ts";
import { overlayKey } from "./input/overlay-keys.ts";
import type { Press } from "./input/press.ts";
import {
  answeringOf,
  approachKey,
  questionKey,
  questionPaste,
  shownQuestion,
} from "./input/question-keys.ts";
import { EventReader } from "./event-reader.ts";
import { OtherSessions } from "./other-sessions.ts";
import { Dialogs } from "./overlays/dialogs.ts";
import type { LocalWork } from "./local-work.ts";
import { openSessionPicker } from "./overlays/open.ts";
import { ListRefresher } from "./overlays/list-refresher.ts";
import { WindowNotifier } from "./terminal/window-notifier.ts";
import type { Screen } from "./terminal/screen.ts";
import { type FirstSession, SessionController } from "./session-controller.ts";
import { defined } from "../shared/json/defined.ts";
import type { Finished } from "./state/view-state.ts";
import { SHOWN_MESSAGES } from "./state/transcript-entries.ts";
import type { AppState } from "./state/app-state.ts";
import type { ViewStore } from "./view-store.ts";
import type { TerminalControl } from "./terminal/terminal-control.ts";
import { INDICATOR_MS } from "./view/indicator.ts";

/** The parts of the terminal client. */
export interface TuiParts {
  readonly store: ViewStore;
  readonly screen: Screen;
  readonly control: TerminalControl;
  readonly drafts: DraftStore;
  readonly session: FirstSession;
  /** Lets the person edit a text in another program; `undefined` when nothing came of it. */
  readonly edit: (text: string) => Promise<string | undefined>;
  /** What needs this process. */
  readonly local: LocalWork;
  /** Aborts when the client must end. */
  readonly signal: AbortSignal;
}

/** The client: keys and the gateway's news come in, the store's state and requests go out. */
export class Tui implements Client {
  readonly store: ViewStore;
  readonly controller: SessionController;
  readonly dialogs: Dialogs;
  readonly local: LocalWork;
  readonly left: Promise<void>;
  readonly #parts: TuiParts;
  readonly #reader: EventReader;
  readonly #completing: Completing;
  readonly #others: OtherSessions;
  readonly #notifier: WindowNotifier;
  readonly #keeper: DraftKeeper;
  readonly #freshness = new ListRefresher(this);
  readonly #leave: () => void;
  #clock: NodeJS.Timeout | undefined;
  #unfollow: () => void = () => undefined;

  constructor(parts: TuiParts) {
    this.#parts = parts;
    this.store = parts.store;
    this.controller = new SessionController(parts.store, this.now);
    this.dialogs = new Dialogs(parts.store);
    this.local = parts.local;
    this.#keeper = new DraftKeeper(this, parts.drafts);
    this.#completing = new Completing(this);
    this.#others = new OtherSessions(this);
    this.#notifier = new WindowNotifier(parts.control);
    const { store, controller, now } = this;
    this.#reader = new EventReader({ store, controller, now, othersChanged: () => this.#others.look() });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.left = promise;
    this.#leave = resolve;
    parts.signal.addEventListener("abort", () => this.leave(), { once: true });
  }

  readonly now = (): number => Date.now();

  /** Begins to talk to the gateway. */
  start(gateway: Gateway, history: readonly Written[]): void {
    this.controller.connect(gateway);
    const { composer } = this.store.state;
    this.store.update({ composer: { ...composer, recall: recallOf(history) } });
    this.#unfollow = this.store.subscribe(() => this.#follow());
    this.controller.run(this.#reader.read(gateway, { signal: this.#parts.signal }));
    this.controller.run(this.#begin(gateway));
  }

  readonly leave = (): void => {
    this.#unfollow();
    clearTimeout(this.#clock);
    this.#others.stop();
    this.#freshness.stop();
    this.#keeper.leave();
    this.#leave();
  };

  readonly key = (press: Press): void => {
    const { state } = this.store;
    forgetOtherStops(this, press.name);
    if (press.name === "ctrl+c" && state.overlay === undefined && state.composer.search === undefined)
      return this.controller.run(interruptKey(this));
    if (state.hint !== "") this.store.update({ hint: "" });
    if (press.name === "ctrl+l") return this.redraw();
    if (state.overlay !== undefined) return overlayKey(this, press);
    const open = shownQuestion(state);
    const isTaken =
      open !== undefined &&
      (open.answering.entered ? questionKey(this, open, press) : approachKey(this, open, press));
    if (!isTaken) composerKey(this, press);
  };

  readonly paste = (text: string): void => {
    forgetOtherStops(this);
    const { overlay } = this.store.state;
    const open = shownQuestion(this.store.state);
    if (overlay?.kind === "field") return fieldPaste(this, overlay, text);
    if (overlay !== undefined) return;
    if (open?.answering.entered === true && questionPaste(this, open, text)) return;
    if (looksDropped(text)) return this.controller.run(this.#drop(text));
    change(this, paste(this.store.state.composer.editor, text));
  };

  /** A file that was dropped on the window: an image goes along with the next prompt, any other is named in it. */
  async #drop(text: string): Promise<void> {
    const session_id = this.controller.sessionId;
    const dropped =
      session_id === undefined
        ? { matched: false as const }
        : await this.controller.request("input.detect_drop", { session_id, text: text.trim() });
    const { editor } = this.store.state.composer;
    if (!dropped.matched || session_id === undefined) return change(this, paste(editor, text));
    const { path, name = path } = dropped;
    const mark = dropped.is_image ? this.controller.images.add(session_id, { path, name }) : dropped.text;
    const rest = dropped.is_image && dropped.text !== mark ? ` ${dropped.text}` : "";
    change(this, paste(editor, `${mark}${rest} `));
  }

  /**
   * Goes on with printing once turns that were taken back have left the screen.
   *
   * @param whole - they left it, and nothing else did
   */
  readonly takenBack = async ({ key, entry }: Finished, whole: boolean): Promise<void> => {
    const { controller, store } = this;
    const sessionId = controller.sessionId ?? "";
    const before = entry.kind === "takenBack" ? entry.before : undefined;
    const ask = { session_id: sessionId, limit: SHOWN_MESSAGES, ...defined({ before }) };
    // The screen goes on without it, too.
    const page = await controller.request("session.history", ask).catch(() => undefined);
    store.dispatch({ type: "shownAgain", key, sessionId, page, whole });
  };

  readonly show = (attached: Attached): void => {
    this.store.dispatch({ type: "attached", attached, at: this.now(), print: true });
  };

  async learn(): Promise<void> {
    const [display] = await Promise.all([learnLooks(this.controller), this.#notifier.learn(this.controller)]);
    this.store.update({ display });
    this.#notifier.follow(this.store.state);
  }

  prefill(text: string): void {
    change(this, setWritten(this.store.state.composer.editor, withoutPastes(text)));
  }

  remember(sent: Written): void {
    void this.#parts.drafts.remember(sent);
  }

  redraw(): void {
    this.#parts.screen.redraw();
  }

  copy(which: string): void {
    const answer = this.store.state.view.lastAnswer;
    const number = Number(which);
    const text = which === "" ? answer : codeBlocks(answer)[number - 1];
    if (text === undefined || text === "")
      return this.controller.note(
        which === "" ? "There is no answer to copy yet." : `The last answer has no block of code ${which}.`,
        "warn",
      );
    const sequence = copySequence(text);
    if (sequence === undefined)
      return this.controller.note("It is too long for the terminal to copy: /export writes it.", "warn");
    this.#parts.screen.write(sequence);
    this.controller.note(which === "" ? "The answer was copied." : `Code block ${number} was copied.`, "ok");
  }

  async editOutside(): Promise<void> {
    const { composer } = this.store.state;
    const { screen, control, edit } = this.#parts;
    control.leave();
    // The keys are still read: what the terminal has to say is not for the other program.
    await screen.leave();
    this.store.update({ away: true });
    const text = await edit(composer.editor.text).finally(() => {
      control.comeBack();
      this.store.update({ away: false });
      screen.comeBack();
    });
    if (text !== undefined) change(this, setText(composer.editor, text.replace(/\n$/, "")));
  }

  /** What follows from a change of the state: the question on top, the clock, completions, the draft. */
  #follow(): void {
    const { state } = this.store;
    const answering = answeringOf(state, this.now());
    if (answering !== state.answering) return this.store.update({ answering });
    this.#completing.look();
    this.#notifier.follow(state);
    this.#freshness.look();
    this.#keepTime();
    this.#keeper.look();
  }

  /** The clock runs while there is something on the screen that shows time. */
  #keepTime(): void {
    const period = clockPeriod(this.store.state);
    if (period === undefined || this.#clock !== undefined) return;
    this.#clock = setTimeout(() => {
      this.#clock = undefined;
      this.store.update({ now: this.now() });
    }, period);
  }

  async #begin(gateway: Gateway): Promise<void> {
    // Why there is none is said by the connection itself.
    if ((await gateway.ready.catch(() => undefined)) === undefined) return this.controller.begun();
    const { pick, prompt } = this.#parts.session;
    try {
      await this.#reader.begin(gateway, this.#parts.session, "/setup sets one up.");
    } catch (thrown) {
      // Enter tries again.
      if (prompt !== undefined) this.prefill(prompt);
      await this.learn().catch(() => undefined);
      throw thrown;
    }
    if (pick === true) await openSessionPicker(this);
    await this.learn();
    if (prompt !== undefined) await this.#say(prompt);
  }

  /** Sends a prompt that was given with the command, or carries out the command of the chat that it is. */
  async #say(prompt: string): Promise<void> {
    this.remember(withoutPastes(prompt));
    if (isCommand(prompt)) await runClientCommand(this, prompt);
    else if (!(await this.controller.submit(prompt))) this.prefill(prompt);
  }
}

/** Milliseconds until what is shown has to be drawn anew only because time goes on. */
function clockPeriod({ view }: AppState): number | undefined {
  const { turn, questions, tools, shells, commands, connection } = view;
  if (questions.length > 0) return 1000;
  const runs = turn !== undefined || [tools, shells, commands].some(({ length }) => length > 0);
  return runs || connection.status === "connecting" ? INDICATOR_MS : undefined;
}

/** The path of a file is how terminals say that it was dropped on them. */
const looksDropped = (text: string): boolean =>
  /^\s*['"]?(?:\/|~\/|\.{1,2}\/|file:\/\/)[^\n]{1,1000}$/.test(text);
