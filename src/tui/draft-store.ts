import type { Written } from "./input/written.ts";

/** The store of sent prompts and of drafts, across lives of the client. Each window has one draft in it. */
export interface DraftStore {
  /** Oldest first. */
  history(): Promise<readonly Written[]>;
  /** Adds what was sent. Never rejects: a full disk must not stop a conversation. */
  remember(sent: Written): Promise<void>;
  /**
   * Makes a draft this window's own that a window left which is gone: one of the same session, or, without a session,
   * one of the same folder that was of none.
   */
  takeDraft(session: string | undefined): Written | undefined;
  /**
   * Keeps what this window's person is writing, in the place of what was kept of it; an empty text is none. It is done
   * when this returns. Never throws.
   *
   * @param session - the conversation that it is for; `undefined` while it has not begun
   */
  saveDraft(draft: Written, session: string | undefined): void;
  /** The window ends, though its process may go on: its draft is there for others. */
  release(): void;
}
