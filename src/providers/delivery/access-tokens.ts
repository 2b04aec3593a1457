import type { Clock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { PlatformAccess, PlatformAnswer } from "./messaging-platform.ts";

/** A token that is about to end is not used any more. */
const EARLY_MS = 60_000;

/** A cache of one token, for as long as it is valid. */
export class AccessTokens {
  readonly #clock: Clock;
  #token: string | undefined;
  #until = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param ask - asks the platform for one
   * @throws HostError `delivery_failed`, `invalid_params`
   */
  async get(access: PlatformAccess, ask: () => Promise<PlatformAnswer>): Promise<string> {
    if (this.#token !== undefined && this.#clock.now() < this.#until) return this.#token;
    const answer = await ask();
    const { token, seconds } = access.token(answer);
    if (answer.status >= 300 || typeof token !== "string" || token === "") {
      const passing = answer.status >= 500 || answer.status === 429;
      const why = answer.body["message"];
      throw new HostError(
        passing ? "delivery_failed" : "invalid_params",
        `no token was given for the secret: ${typeof why === "string" ? why.slice(0, 200) : `status ${answer.status}`}`,
      );
    }
    this.#until = this.#clock.now() + (Number.isFinite(seconds) ? 1000 * seconds : 0) - EARLY_MS;
    this.#token = token;
    return token;
  }

  /** The platform does not take the token any more. */
  forget(): void {
    this.#token = undefined;
  }
}
