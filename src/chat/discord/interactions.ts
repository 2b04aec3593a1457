import type { DiscordApi } from "./api.ts";

/** A deferred change of the message with the button: nothing shows. */
const DEFERRED_UPDATE = 6;
const MESSAGE = 4;
/** Only the one who acted sees it. */
const EPHEMERAL = 64;
const LONGEST = 2000;
const MOST = 1000;

/** An interaction that wants a first answer within three seconds. */
export interface PendingInteraction {
  readonly id: string;
  readonly token: string;
  /** The words for a command; a button shows none. */
  readonly words?: string;
}

/** The first answers to interactions: https://docs.discord.com/developers/interactions/receiving-and-responding */
export class Interactions {
  readonly #api: DiscordApi;
  readonly #first = new Map<string, PromiseWithResolvers<void>>();

  constructor(api: DiscordApi) {
    this.#api = api;
  }

  /** An interaction comes: who wants to tell something waits for its first answer. */
  expect({ token }: PendingInteraction): void {
    if (this.#first.size >= MOST) this.#first.clear();
    this.#first.set(token, Promise.withResolvers());
  }

  /** Answers an interaction that is safe. Never rejects: what was asked counts also when this comes too late. */
  async acknowledge({ id, token, words }: PendingInteraction, signal: AbortSignal): Promise<void> {
    const body =
      words === undefined
        ? { type: DEFERRED_UPDATE }
        : { type: MESSAGE, data: { content: words.slice(0, LONGEST), flags: EPHEMERAL } };
    const path = `/interactions/${id}/${encodeURIComponent(token)}/callback`;
    await this.#api.call("POST", { path, body, signal }).catch(() => undefined);
    this.#first.get(token)?.resolve();
    this.#first.delete(token);
  }

  /** Tells the one who pressed a button something. */
  async tell(
    { applicationId, token }: { readonly applicationId: string; readonly token: string },
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#first.get(token)?.promise;
    const path = `/webhooks/${applicationId}/${encodeURIComponent(token)}`;
    await this.#api.call("POST", {
      path,
      body: { content: text.slice(0, LONGEST), flags: EPHEMERAL, allowed_mentions: { parse: [] } },
      signal,
    });
  }
}
