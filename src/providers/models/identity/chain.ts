import type { AccessToken, TokenCredential } from "@azure/identity";
import { HostError, messageOf } from "../../../shared/errors/host-error.ts";
import { identitySources, type IdentityEnvironment, type MissingSource } from "./sources.ts";

/** A token and its source. */
export interface IssuedToken {
  readonly value: string;
  readonly source: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** Unix milliseconds; from then on a new one is better. */
  readonly refreshAt: number;
}

/** A token is renewed so long before it expires. */
const MARGIN_MS = 5 * 60_000;

/** A source after it was opened: its credential, or what is missing for it. */
interface OpenSource {
  readonly name: string;
  readonly credential: TokenCredential | MissingSource;
}

/**
 * The chain of sources that give this process its identity. Opened sources stay open, so that those that cache tokens
 * can do so; nothing is written to disk.
 */
export class IdentityChain {
  readonly #environment: IdentityEnvironment;
  #sources: Promise<readonly OpenSource[]> | undefined;

  constructor(environment: IdentityEnvironment) {
    this.#environment = environment;
  }

  /**
   * Gives the first token of a source. A source that is configured and refused ends the search: the owner may not mean
   * another identity.
   *
   * @throws HostError `provider_auth` with the words of each source
   */
  async token(scope: string, signal: AbortSignal): Promise<IssuedToken> {
    this.#sources ??= this.#open();
    const reasons: string[] = [];
    for (const { name, credential } of await this.#sources) {
      signal.throwIfAborted();
      if ("missing" in credential) {
        reasons.push(`${name}: ${credential.missing}`);
        continue;
      }
      try {
        const token = await credential.getToken(scope, { abortSignal: signal });
        if (token !== null) return issued(token, name);
        reasons.push(`${name}: nothing`);
      } catch (thrown) {
        reasons.push(`${name}: ${messageLine(thrown)}`);
        if (!isUnavailable(thrown)) throw refused(scope, reasons.slice(-1), thrown);
      }
    }
    throw refused(scope, reasons);
  }

  async #open(): Promise<readonly OpenSource[]> {
    const sdk = await import("@azure/identity");
    const sources: OpenSource[] = [];
    for (const source of identitySources(this.#environment)) {
      sources.push({ name: source.name, credential: await source.open(sdk) });
    }
    return sources;
  }
}

function issued(
  { token, expiresOnTimestamp, refreshAfterTimestamp }: AccessToken,
  source: string,
): IssuedToken {
  const latest = expiresOnTimestamp - MARGIN_MS;
  return {
    value: token,
    source,
    expiresAt: expiresOnTimestamp,
    refreshAt: Math.min(latest, refreshAfterTimestamp ?? latest),
  };
}

/** Tells a source that is not there from one that refused, as the package marks it. */
const isUnavailable = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (thrown.name === "CredentialUnavailableError" || thrown.name === "AuthenticationRequiredError");

const LONGEST_LINE = 160;

function messageLine(thrown: unknown): string {
  const message = messageOf(thrown);
  const [line = ""] = message.split(/[\r\n]/);
  const text = line.replace(/^\w*Credential:? ?/, "");
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE).toWellFormed()}…` : text;
}

function refused(scope: string, reasons: readonly string[], cause?: unknown): HostError {
  const message = `No identity gave a token for ${scope}. ${reasons.join("; ")}. Sign in with the cloud's command line, or set the variables of a service principal; \`agent doctor\` shows more.`;
  return new HostError("provider_auth", message, { cause });
}
