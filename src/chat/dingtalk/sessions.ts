import type { ChannelNotes } from "../port/platform.ts";

/**
 * The addresses at which people of other organisations are answered, who have no id that the robot could write to. Each
 * comes with a message, and holds for an hour or two.
 */
export class Sessions {
  readonly #notes: ChannelNotes;

  constructor(notes: ChannelNotes) {
    this.#notes = notes;
  }

  /** Notes an address. @param until - Unix milliseconds */
  async note(
    chatId: string,
    { url, until }: { readonly url: string; readonly until: number },
  ): Promise<void> {
    await this.#notes.put(`session:${chatId}`, url, until);
  }

  /** The address of a chat, while it holds. */
  async of(chatId: string): Promise<string | undefined> {
    return (await this.#notes.all()).get(`session:${chatId}`);
  }
}
