import type { Clock } from "../../shared/async/clock.ts";

/** A token that a platform gave for the secrets of an account. */
export interface GivenToken {
  readonly token: string;
  /** Seconds that it holds. */
  readonly seconds: number;
}

/** A token that is about to end is not used any more. */
const EARLY_MS = 60_000;

/** A token that is got for the secrets of an account, and got again before it ends. */
export class AccessToken {
  readonly #clock: Clock;
  readonly #get: (signal: AbortSignal) => Promise<GivenToken>;
  #held: { readonly token: string; readonly until: number } | undefined;
  #getting: Promise<string> | undefined;

  /** @param get - asks the platform for one; whoever needs it meanwhile waits for the same */
  constructor(clock: Clock, get: (signal: AbortSignal) => Promise<GivenToken>) {
    this.#clock = clock;
    this.#get = get;
  }

  /** The token as it holds now. @throws HostError as the platform refuses it */
  async current(signal: AbortSignal): Promise<string> {
    if (this.#held !== undefined && this.#clock.now() < this.#held.until) return this.#held.token;
    this.#getting ??= this.#renew(signal).finally(() => (this.#getting = undefined));
    return await this.#getting;
  }

  /** The platform does not take a token any more. */
  forget(token: string): void {
    if (this.#held?.token === token) this.#held = undefined;
  }

  async #renew(signal: AbortSignal): Promise<string> {
    const { token, seconds } = await this.#get(signal);
    this.#held = { token, until: this.#clock.now() + 1000 * seconds - EARLY_MS };
    return token;
  }
}
