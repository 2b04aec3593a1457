import { createHash } from "node:crypto";
import type { Configuration } from "openid-client";
import type { Clock, Records } from "../../core/index.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { visibleInLine } from "../../shared/text/visible.ts";

/** The sign-in of a team's own identity provider: OpenID Connect, code flow. */
export interface OpenIdSettings {
  /** The provider's address, under which `/.well-known/openid-configuration` is. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
  /** What is asked for, with spaces between. */
  readonly scope: string;
  /** The claim that operators have, `groups` or `realm_access.roles`, and the value in it. */
  readonly claim: string;
  readonly value: string;
}

/** An HTTP request to the provider. */
export type OpenIdFetch = (url: string, init: OpenIdRequest) => Promise<Response>;

/** A request as the protocol makes it. */
export interface OpenIdRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The parts of the sign-in at a provider. */
export interface OpenIdParts {
  readonly records: Records;
  readonly clock: Clock;
  readonly settings: OpenIdSettings;
  readonly fetch: OpenIdFetch;
}

/** A sign-in that has begun in a browser. */
interface Begun {
  readonly nonce: string;
  readonly verifier: string;
}

const SPACE = "dashboard.openid";
/** Milliseconds that somebody may take at the provider. */
const LIFE = 10 * 60_000;
const LONGEST_NAME = 200;
/** Seconds by which the provider's clock may differ. */
const TOLERANCE_S = 60;

/** Signing in at an identity provider, https://openid.net/specs/openid-connect-core-1_0.html, with PKCE, state and nonce. */
export class OpenId {
  readonly #parts: OpenIdParts;
  #configuration: Promise<Configuration> | undefined;

  constructor(parts: OpenIdParts) {
    this.#parts = parts;
  }

  /** The provider's host, for people. */
  get name(): string {
    return new URL(this.#parts.settings.issuer).host;
  }

  /**
   * Begins a sign-in.
   *
   * @param callback - the address that the provider sends the browser back to
   * @returns where the browser goes, and the state that it must come back with
   * @throws HostError `fetch_failed` when the provider cannot be asked
   */
  async begin(callback: string): Promise<{ readonly address: string; readonly state: string }> {
    const { records, clock, settings } = this.#parts;
    const client = await import("openid-client");
    const configuration = await this.#discovered();
    const state = client.randomState();
    const begun: Begun = { nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() };
    const expiresAt = clock.now() + LIFE;
    await records.put({ space: SPACE, key: keyOf(state), value: JSON.stringify(begun), expiresAt });
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: settings.scope,
      state,
      nonce: begun.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: "S256",
    });
    return { address: address.href, state };
  }

  /**
   * Ends a sign-in, which can be done once.
   *
   * @param answer - the callback's address as the provider sent the browser there
   * @param state - what the browser began with
   * @returns the name of who signed in
   * @throws HostError `unauthorized` when nobody may be let in, `fetch_failed` when the provider cannot be asked
   */
  async finish(answer: URL, state: string | undefined): Promise<string> {
    const begun = state === undefined ? undefined : await this.#take(state);
    if (state === undefined || begun === undefined)
      throw new HostError(
        "unauthorized",
        "The sign-in was not begun in this browser, or more than ten minutes ago.",
      );
    const claims = await this.#claims(answer, { ...begun, state });
    const { claim, value } = this.#parts.settings;
    if (!hasValue(claimIn(claims, claim), value))
      throw new HostError(
        "unauthorized",
        `${nameIn(claims)} is no operator: the claim ${claim} does not have ${value}.`,
        { details: { subject: claim } },
      );
    return nameIn(claims);
  }

  async #take(state: string): Promise<Begun | undefined> {
    const { records } = this.#parts;
    const record = await records.get(SPACE, keyOf(state));
    // Of two that come back with one state, one is taken.
    if (record === undefined || !(await records.remove(SPACE, keyOf(state)))) return undefined;
    // Only this file writes this space.
    return JSON.parse(record.value) as Begun;
  }

  async #claims(
    answer: URL,
    { state, nonce, verifier }: Begun & { readonly state: string },
  ): Promise<Readonly<Record<string, unknown>>> {
    const client = await import("openid-client");
    const configuration = await this.#discovered();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      });
      const claims: Readonly<Record<string, unknown>> = tokens.claims() ?? {};
      const isThere = claimIn(claims, this.#parts.settings.claim) !== undefined;
      if (isThere || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      // Some providers tell groups only here.
      const subject = String(claims["sub"]);
      return { ...(await client.fetchUserInfo(configuration, tokens.access_token, subject)), ...claims };
    } catch (thrown) {
      if (thrown instanceof HostError) throw thrown;
      throw new HostError("unauthorized", `${this.name} did not let anybody in: ${wordsOf(thrown)}`, {
        cause: thrown,
      });
    }
  }

  #discovered(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((thrown: unknown) => {
      this.#configuration = undefined;
      throw new HostError("fetch_failed", `${this.name} cannot be asked to sign in: ${wordsOf(thrown)}`, {
        cause: thrown,
      });
    });
    return this.#configuration;
  }

  async #discover(): Promise<Configuration> {
    const client = await import("openid-client");
    const { settings, fetch } = this.#parts;
    const { clientId, clientSecret } = settings;
    const issuer = new URL(settings.issuer);
    const execute = [client.enableNonRepudiationChecks];
    // Only an issuer of this machine may be http; the configuration says so.
    if (issuer.protocol === "http:") execute.push(client.allowInsecureRequests);
    return await client.discovery(
      issuer,
      clientId,
      { [client.clockTolerance]: TOLERANCE_S },
      clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret),
      {
        execute,
        [client.customFetch]: (url, { method, headers, body, signal }) =>
          fetch(url, {
            method,
            headers,
            // All that it sends is forms.
            ...defined({ body: body instanceof URLSearchParams ? body.toString() : undefined, signal }),
          }),
      },
    );
  }
}

const keyOf = (state: string): string => createHash("sha256").update(state).digest("base64url");

/** A claim by its name, or by a path of names with dots between. */
function claimIn(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split("."))
    value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value;
}

const hasValue = (claim: unknown, wanted: string): boolean =>
  Array.isArray(claim) ? claim.includes(wanted) : claim === wanted || (claim === true && wanted === "true");

/** The name that people know somebody by. */
function nameIn(claims: Readonly<Record<string, unknown>>): string {
  const { email, email_verified: isVerified, preferred_username: name, sub } = claims;
  const known = isVerified === false ? [name, sub] : [email, name, sub];
  const found = known.find((each): each is string => typeof each === "string" && each !== "");
  return visibleInLine((found ?? "somebody").slice(0, LONGEST_NAME));
}

/** What went wrong, as the provider or the library says it. */
function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return toHostError(thrown).message;
  const { message, cause } = thrown;
  const { error_description: description, error } = thrown as Error & {
    readonly error_description?: unknown;
    readonly error?: unknown;
  };
  const said = [error, description].filter((each) => typeof each === "string").join(": ");
  if (said !== "") return said;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
