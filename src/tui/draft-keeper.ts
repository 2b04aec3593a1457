import type { Client } from "./client.ts";
import type { DraftStore } from "./draft-store.ts";
import { change } from "./input/change.ts";
import { draftOf } from "./input/prompt-recall.ts";
import { setWritten } from "./input/text-editor.ts";
import { NOTHING_WRITTEN, type Written, isSame } from "./input/written.ts";
import { leftSession } from "./state/left-session.ts";

/** Milliseconds after which a draft is kept. */
const DRAFT_MS = 500;

/** The keeper of what is being written: it follows the composer, and brings back what another window left. */
export class DraftKeeper {
  readonly #client: Client;
  readonly #drafts: DraftStore;
  #shown: string | undefined;
  #session: string | undefined;
  #draft: Written = NOTHING_WRITTEN;
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client, drafts: DraftStore) {
    this.#client = client;
    this.#drafts = drafts;
  }

  /** Called after each change of the screen's state. */
  look(): void {
    const { view } = this.#client.store.state;
    const shown = view.session?.id;
    if (shown !== undefined && shown !== this.#shown) {
      this.#shown = shown;
      if (this.#takeOver()) return;
    }
    const draft = draftOf(this.#client.store.state.composer);
    const session = leftSession(view)?.id;
    if (session === this.#session && isSame(draft, this.#draft)) return;
    this.#session = session;
    this.#draft = draft;
    clearTimeout(this.#timer);
    // At once when there is none any more: what was sent must not be found again.
    if (draft.text === "") this.#save();
    else this.#timer = setTimeout(() => this.#save(), DRAFT_MS);
  }

  /** Keeps the draft for the next window: this one ends. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#save();
    this.#drafts.release();
  }

  #save(): void {
    this.#drafts.saveDraft(this.#draft, this.#session);
  }

  /** Shows a draft that a window left behind, unless something is being written here. */
  #takeOver(): boolean {
    const { composer, view } = this.#client.store.state;
    if (composer.editor.text !== "" || draftOf(composer).text !== "") return false;
    const left = this.#drafts.takeDraft(leftSession(view)?.id);
    if (left === undefined) return false;
    change(this.#client, setWritten(composer.editor, left));
    return true;
  }
}
