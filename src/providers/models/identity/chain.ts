import type { AccessToken, TokenCredential } from "@azure/identity";
import { HostError, messageOf } from "../../../shared/errors/host-error.ts";
import { identitySources, type TokenSourceName, type IdentityEnvironment } from "./sources.ts";

/** A token, and who gave it. */
export interface IssuedToken {
  readonly value: string;
  readonly source: TokenSourceName;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** Unix milliseconds; from then on a new one is better. */
  readonly refreshAt: number;
}

/** A token is renewed so long before it expires. */
const MARGIN_MS = 5 * 60_000;

type Link = { readonly name: TokenSourceName; readonly credential: TokenCredential };

/**
 * The identity of this process: the sources in their order. What was opened stays open, so that tokens are cached by
 * those sources that do so; nothing is written to disk.
 */
export class IdentityChain {
  readonly #environment: IdentityEnvironment;
  #links: Promise<readonly Link[]> | undefined;

  constructor(environment: IdentityEnvironment) {
    this.#environment = environment;
  }

  /**
   * The first token that a source gives. A source that is configured and refused ends the search: another identity may
   * not be meant.
   *
   * @throws HostError `provider_auth` with what each source said
   */
  async token(scope: string, signal: AbortSignal): Promise<IssuedToken> {
    this.#links ??= this.#open();
    const said: string[] = [];
    for (const { name, credential } of await this.#links) {
      signal.throwIfAborted();
      try {
        const token = await credential.getToken(scope, { abortSignal: signal });
        if (token !== null) return issued(token, name);
        said.push(`${name}: nothing`);
      } catch (thrown) {
        said.push(`${name}: ${wordsOf(thrown)}`);
        if (!isUnavailable(thrown)) throw refused(scope, said.slice(-1), thrown);
      }
    }
    throw refused(scope, said);
  }

  async #open(): Promise<readonly Link[]> {
    const sdk = await import("@azure/identity");
    const links: Link[] = [];
    for (const source of identitySources(this.#environment)) {
      const credential = await source.open(sdk);
      if (credential !== undefined) links.push({ name: source.name, credential });
    }
    return links;
  }
}

function issued(
  { token, expiresOnTimestamp, refreshAfterTimestamp }: AccessToken,
  source: TokenSourceName,
): IssuedToken {
  const latest = expiresOnTimestamp - MARGIN_MS;
  return {
    value: token,
    source,
    expiresAt: expiresOnTimestamp,
    refreshAt: Math.min(latest, refreshAfterTimestamp ?? latest),
  };
}

/** The package's way to say that a source is not there, as opposed to one that refused. */
const isUnavailable = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (thrown.name === "CredentialUnavailableError" || thrown.name === "AuthenticationRequiredError");

const LONGEST_WORDS = 160;

function wordsOf(thrown: unknown): string {
  const message = messageOf(thrown);
  const [line = ""] = message.split(/[\r\n]/);
  const words = line.replace(/^\w*Credential:? ?/, "");
  return words.length > LONGEST_WORDS ? `${words.slice(0, LONGEST_WORDS).toWellFormed()}…` : words;
}

function refused(scope: string, said: readonly string[], cause?: unknown): HostError {
  const message = `No identity gave a token for ${scope}. ${said.join("; ")}. Sign in with the cloud's command line, or set the variables of a service principal; \`agent doctor\` shows more.`;
  return new HostError("provider_auth", message, { cause });
}
