import { Deadline, orAborted } from "../../../shared/async/deadline.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { CredentialSource } from "../endpoint/credential.ts";
import { IdentityChain, type IssuedToken } from "./chain.ts";
import type { IdentityEnvironment } from "./sources.ts";

/** The scope of tokens when none is configured. */
export const DEFAULT_SCOPE = "https://ai.azure.com/.default";

/** Milliseconds after which a token is waited for no longer. */
const TOKEN_MS = 60_000;

/** A service that gives the tokens of this process for any scope; each is used as long as it is fresh. */
export class IdentityService {
  readonly #chain: IdentityChain;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, IssuedToken>();
  readonly #asked = new Map<string, Promise<IssuedToken>>();

  constructor(environment: IdentityEnvironment, clock: Clock) {
    this.#chain = new IdentityChain(environment);
    this.#clock = clock;
  }

  /** Gives the credentials of a provider in keyless mode. */
  credentials(scope: string = DEFAULT_SCOPE): CredentialSource {
    return async (signal) => {
      const { value } = await this.token(scope, { signal });
      // Without a token the request goes out bare: the endpoint's own refusal says more than a guess.
      return value === "" ? undefined : { kind: "token", value };
    };
  }

  /**
   * Gives a fresh token; calls at the same time share one request for it.
   *
   * @param options.timeoutMs - milliseconds, 60,000 by default
   * @throws HostError `provider_auth`, or `timeout`
   */
  async token(
    scope: string,
    { signal, timeoutMs = TOKEN_MS }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<IssuedToken> {
    const known = this.#tokens.get(scope);
    if (known !== undefined && this.#clock.now() < known.refreshAt) return known;
    const asked = this.#asked.get(scope) ?? this.#ask(scope);
    using deadline = new Deadline({ clock: this.#clock, ms: timeoutMs, signal });
    try {
      return await orAborted(asked, deadline.signal);
    } catch (thrown) {
      throw deadline.passed ? late(scope, timeoutMs) : thrown;
    }
  }

  #ask(scope: string): Promise<IssuedToken> {
    // The first caller may give up: others wait for the same token.
    const asked = this.#chain.token(scope, new AbortController().signal);
    this.#asked.set(scope, asked);
    const over = (): void => void this.#asked.delete(scope);
    asked.then((token) => {
      this.#tokens.set(scope, token);
      over();
    }, over);
    return asked;
  }
}

function late(scope: string, timeoutMs: number): HostError {
  const message = `No identity gave a token for ${scope} within ${timeoutMs / 1000} s. Check the network and the sign-in; \`agent doctor\` shows more.`;
  return new HostError("timeout", message);
}
