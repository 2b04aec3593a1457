import {
  type AuthorizationServerMetadata,
  type AuthProvider,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { defined } from "../../../shared/json/defined.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import { authorizationFetch } from "./authorization-fetch.ts";
import type { McpLogin, McpLoginPorts } from "./login.ts";

/** Refusals after which no token of the login is of use. */
const OVER: ReadonlySet<string> = new Set([OAuthErrorCode.InvalidGrant, OAuthErrorCode.InvalidClient]);
/** A token that ends within so many milliseconds is renewed before it is used. */
const SOON_MS = 30_000;

/**
 * The tokens of a login for the requests of a connection. They are renewed when they are about to end, and when the server
 * refuses one: of all processes one renews, and the others take what it got.
 */
export class LoginBearer implements AuthProvider {
  readonly #ports: McpLoginPorts;
  readonly #clock: Clock;
  #used = "";

  constructor(ports: McpLoginPorts, clock: Clock) {
    this.#ports = ports;
    this.#clock = clock;
  }

  async token(): Promise<string | undefined> {
    let login = this.#ports.store.read();
    if (login !== undefined && this.#endsSoon(login) && login.refreshToken !== undefined)
      login = await this.#renewed(login.accessToken);
    this.#used = login?.accessToken ?? "";
    return login?.accessToken;
  }

  /** @throws UnauthorizedError when only a new login helps */
  async onUnauthorized(): Promise<void> {
    const login = this.#ports.store.read();
    // Another process was faster.
    if (login !== undefined && login.accessToken !== this.#used) return;
    const renewed = login?.refreshToken === undefined ? undefined : await this.#renewed(login.accessToken);
    if (renewed === undefined) throw new UnauthorizedError();
  }

  #endsSoon({ expiresAt }: McpLogin): boolean {
    return expiresAt !== undefined && expiresAt - this.#clock.now() < SOON_MS;
  }

  /** Renews a token, unless somebody has; gives nothing when the login is over. */
  #renewed(token: string): Promise<McpLogin | undefined> {
    return this.#ports.store.change(async (login) => {
      if (login === undefined || login.accessToken !== token) return login;
      if (login.refreshToken === undefined) return login;
      try {
        return await this.#refresh(login, login.refreshToken);
      } catch (thrown) {
        if (thrown instanceof OAuthError && OVER.has(thrown.code)) return undefined;
        throw thrown;
      }
    });
  }

  async #refresh(login: McpLogin, refreshToken: string): Promise<McpLogin> {
    const { issuer, metadata, resource, clientId, clientSecret } = login;
    await using web = this.#ports.web();
    const tokens = await refreshAuthorization(issuer, {
      // The library checked it before it was kept.
      metadata: metadata as AuthorizationServerMetadata,
      clientInformation: { client_id: clientId, ...defined({ client_secret: clientSecret }) },
      refreshToken,
      ...defined({ resource }),
      fetchFn: authorizationFetch(web.fetch),
    });
    return { ...login, ...tokenFacts(tokens, this.#clock) };
  }
}

/** The facts of an answer with tokens that are kept. */
export function tokenFacts(
  tokens: {
    readonly access_token: string;
    readonly refresh_token?: string | undefined;
    readonly expires_in?: number | undefined;
  },
  clock: Clock,
): Pick<McpLogin, "accessToken" | "refreshToken" | "expiresAt"> {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: lasts } = tokens;
  return {
    accessToken,
    expiresAt: lasts === undefined ? undefined : clock.now() + 1000 * lasts,
    ...defined({ refreshToken }),
  };
}
