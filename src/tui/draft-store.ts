import type { Written } from "./input/written.ts";

/** The store of sent prompts and of the draft, across lives of the client. */
export interface DraftStore {
  /** Oldest first. */
  history(): Promise<readonly Written[]>;
  /** Adds what was sent. Never rejects: a full disk must not stop a conversation. */
  remember(sent: Written): Promise<void>;
  /** The draft that a crash or a closed window left. */
  draft(): Promise<string>;
  /** Keeps what is being written; an empty text is none. Never rejects. */
  saveDraft(text: string): Promise<void>;
}
