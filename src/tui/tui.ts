import type { Client } from "./client.ts";
import { codeBlocks, copySequence } from "./clipboard.ts";
import { Completing } from "./completing.ts";
import { paste, setText } from "./composer/editor.ts";
import { learnLooks } from "./display.ts";
import { recallOf } from "./composer/history.ts";
import type { Attached, Gateway } from "./gateway.ts";
import type { Keep } from "./keep.ts";
import { change, composerKey } from "./keys/composer-keys.ts";
import { fieldPaste } from "./keys/field-keys.ts";
import { overlayKey } from "./keys/overlay-keys.ts";
import type { Press } from "./keys/press.ts";
import { answeringOf, questionKey, questionPaste } from "./keys/question-keys.ts";
import { News } from "./news.ts";
import { OtherSessions } from "./other-sessions.ts";
import { Asking } from "./overlays/asking.ts";
import { Freshness } from "./overlays/freshness.ts";
import { Outside } from "./outside.ts";
import type { Screen } from "./screen.ts";
import { type FirstSession, SessionDesk } from "./session-desk.ts";
import { type AppState, GRACE_MS, takesKeys } from "./state/app-state.ts";
import type { Store } from "./store.ts";
import type { TerminalTalk } from "./terminal-talk.ts";
import { characters } from "./text/width.ts";
import { SPINNER_MS } from "./view/live-lines.ts";

/** Two Ctrl+C within this leave, in milliseconds. */
const DOUBLE_MS = 1000;
/** Milliseconds after which a draft is kept. */
const DRAFT_MS = 500;

export interface TuiParts {
  readonly store: Store;
  readonly screen: Screen;
  readonly talk: TerminalTalk;
  readonly keep: Keep;
  readonly session: FirstSession;
  readonly edit: (text: string) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** The client: keys and the gateway's news come in, the store's state and requests go out. */
export class Tui implements Client {
  readonly store: Store;
  readonly desk: SessionDesk;
  readonly asking: Asking;
  readonly left: Promise<void>;
  readonly #parts: TuiParts;
  readonly #news: News;
  readonly #completing: Completing;
  readonly #others: OtherSessions;
  readonly #outside: Outside;
  readonly #freshness = new Freshness(this);
  readonly #leave: () => void;
  #clock: NodeJS.Timeout | undefined;
  #drafting: NodeJS.Timeout | undefined;
  #draft = "";

  constructor(parts: TuiParts) {
    this.#parts = parts;
    this.store = parts.store;
    this.desk = new SessionDesk(parts.store, this.now);
    this.asking = new Asking(parts.store);
    this.#completing = new Completing(this);
    this.#others = new OtherSessions(this);
    this.#outside = new Outside(parts.talk);
    const { store, desk, now } = this;
    this.#news = new News({ store, desk, now, othersChanged: () => this.#others.look() });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.left = promise;
    this.#leave = resolve;
    parts.signal.addEventListener("abort", () => this.leave(), { once: true });
  }

  readonly now = (): number => Date.now();

  /** Begins to talk to the gateway. */
  start(
    gateway: Gateway,
    { history, draft }: { readonly history: readonly string[]; readonly draft: string },
  ): void {
    this.desk.connect(gateway);
    const { composer } = this.store.state;
    const typed = composer.editor.text;
    const editor = typed === "" && draft !== "" ? setText(composer.editor, draft) : composer.editor;
    this.store.update({ composer: { ...composer, editor, recall: recallOf(history) } });
    this.store.subscribe(() => this.#follow());
    this.desk.run(this.#news.read(gateway, { signal: this.#parts.signal }));
    this.desk.run(this.#begin(gateway));
  }

  readonly leave = (): void => {
    clearTimeout(this.#clock);
    clearTimeout(this.#drafting);
    this.#others.stop();
    this.#freshness.stop();
    void this.#parts.keep.saveDraft(this.store.state.composer.editor.text).then(this.#leave);
  };

  readonly key = (press: Press): void => {
    const { state } = this.store;
    if (press.name === "ctrl+c" && state.overlay === undefined && state.composer.search === undefined)
      return this.desk.run(this.#interrupt());
    if (state.hint !== "") this.store.update({ hint: "" });
    if (press.name === "ctrl+l") return this.redraw();
    if (state.overlay !== undefined) return overlayKey(this, press);
    const { answering } = state;
    const [question] = state.view.questions;
    if (question === undefined || answering === undefined) return composerKey(this, press);
    // A number and the words that it asks for may come at once: the first decides what the rest is for.
    if (press.text.length > 1)
      return characters(press.text).forEach((text) => this.key({ name: "text", text }));
    if (takesKeys(answering, this.now())) return questionKey(this, { question, answering }, press);
    // An Enter that comes too early is for nobody: it would send what was only begun.
    if (press.name !== "enter") composerKey(this, press);
  };

  readonly paste = (text: string): void => {
    const { overlay, answering, view, composer } = this.store.state;
    const [question] = view.questions;
    if (overlay?.kind === "field") return fieldPaste(this, overlay, text);
    if (overlay !== undefined) return;
    if (question !== undefined && answering !== undefined)
      return questionPaste(this, { question, answering }, text);
    if (looksDropped(text)) return this.desk.run(this.#drop(text));
    change(this, paste(composer.editor, text));
  };

  /** A file that was dropped on the window: an image goes along with the next prompt, any other is named in it. */
  async #drop(text: string): Promise<void> {
    const session_id = this.desk.sessionId;
    const dropped =
      session_id === undefined
        ? { matched: false as const }
        : await this.desk.request("input.detect_drop", { session_id, text: text.trim() });
    const { editor } = this.store.state.composer;
    change(this, paste(editor, dropped.matched ? `${dropped.text} ` : text));
    if (dropped.matched && dropped.is_image)
      this.desk.note(`Attached: ${dropped.name ?? dropped.path}`, "ok");
  }

  readonly show = (attached: Attached): void => {
    this.store.dispatch({ type: "attached", attached, at: this.now(), print: true });
  };

  async learn(): Promise<void> {
    const [looks] = await Promise.all([learnLooks(this.desk), this.#outside.learn(this.desk)]);
    this.store.update({ looks });
    this.#outside.follow(this.store.state);
  }

  prefill(text: string): void {
    change(this, setText(this.store.state.composer.editor, text));
  }

  remember(text: string): void {
    void this.#parts.keep.remember(text);
  }

  redraw(): void {
    this.#parts.screen.redraw();
  }

  copy(which: string): void {
    const answer = this.store.state.view.lastTurn?.text ?? "";
    const number = Number(which);
    const text = which === "" ? answer : codeBlocks(answer)[number - 1];
    const sequence = text === undefined || text === "" ? undefined : copySequence(text);
    if (sequence === undefined) return this.desk.note("There is nothing to copy, or it is too long.", "warn");
    this.#parts.screen.write(sequence);
    this.desk.note(which === "" ? "The answer was copied." : `Code block ${number} was copied.`, "ok");
  }

  async editOutside(): Promise<void> {
    const { composer } = this.store.state;
    const { screen, talk, edit } = this.#parts;
    talk.leave();
    // The keys are still read: what the terminal has to say is not for the other program.
    await screen.leave();
    this.store.update({ away: true });
    const text = await edit(composer.editor.text).finally(() => {
      talk.comeBack();
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
    this.#outside.follow(state);
    this.#freshness.look();
    this.#keepTime();
    this.#keepDraft(state.composer.editor.text);
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

  #keepDraft(text: string): void {
    if (text === this.#draft) return;
    this.#draft = text;
    clearTimeout(this.#drafting);
    this.#drafting = setTimeout(() => void this.#parts.keep.saveDraft(text), DRAFT_MS);
  }

  async #begin(gateway: Gateway): Promise<void> {
    // Why there is none is said by the connection itself.
    if ((await gateway.ready.catch(() => undefined)) === undefined) return this.desk.begun();
    await this.#news.begin(gateway, this.#parts.session, "/setup sets one up.");
    await this.learn();
  }

  /** Ctrl+C: clears the draft, or stops the turn; twice within a second it leaves. */
  async #interrupt(): Promise<void> {
    const { interruptAt, composer, view } = this.store.state;
    const now = this.now();
    if (now - interruptAt < DOUBLE_MS) return this.leave();
    this.store.update({ interruptAt: now, hint: "Ctrl+C once more leaves" });
    if (composer.editor.text !== "" && view.questions.length === 0)
      return change(this, setText(composer.editor, ""));
    if (view.turn === undefined) return;
    const dropped = await this.desk.interrupt({ keepQueue: false });
    if (dropped.length > 0) this.prefill(dropped.join("\n\n"));
  }
}

/** Milliseconds until what is shown has to be drawn anew only because time goes on. */
function clockPeriod({ view, answering, now }: AppState): number | undefined {
  const { turn, questions, tools, connection } = view;
  if (answering !== undefined && !takesKeys(answering, now)) return GRACE_MS;
  if (questions.length > 0) return 1000;
  return turn !== undefined || tools.length > 0 || connection.status === "connecting"
    ? SPINNER_MS
    : undefined;
}

/** The path of a file is how terminals say that it was dropped on them. */
const looksDropped = (text: string): boolean => /^\s*['"]?(?:\/|~\/|file:\/\/)[^\n]{1,1000}$/.test(text);
