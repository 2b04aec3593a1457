import {
  checkResourceAllowed,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type OAuthServerInfo,
  registerClient,
  resourceUrlFromServerUrl,
  startAuthorization,
} from "@modelcontextprotocol/client";
import type { Clock } from "../../../shared/async/clock.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { RandomHex } from "../../../shared/crypto/random-hex.ts";
import type { WebServer } from "../server.ts";
import type { WebFetch } from "../server-web.ts";
import { authorizationFetch } from "./authorization-fetch.ts";
import { tokenFacts } from "./bearer.ts";
import type { McpLogin } from "./login.ts";

/** The parts that a login is begun with. */
export interface LoginRequest {
  readonly server: WebServer;
  readonly fetch: WebFetch;
  /** The address on this machine to which the browser comes back. */
  readonly redirectUrl: string;
  readonly clock: Clock;
  readonly random: RandomHex;
  readonly signal: AbortSignal;
}

/** A login that waits for the person in the browser. */
export interface BegunLogin {
  /** The address that the person opens. */
  readonly address: string;
  /** Whether an address that came back belongs to this login: it carries the login's own secret. */
  belongs(came: URL): boolean;
  /** Takes the address that the browser came back to. @throws HostError `not_allowed` when it says no; `tool_failed` */
  finish(came: URL): Promise<McpLogin>;
}

/**
 * Begins a login at a server: asks where it gives tokens, and registers there.
 *
 * @throws HostError `tool_failed` when it cannot be found out, or the service takes no clients without a `client_id`
 */
export async function beginLogin(request: LoginRequest): Promise<BegunLogin> {
  const { server, redirectUrl, random, signal } = request;
  const fetchFn = authorizationFetch(request.fetch, signal);
  const challenge = await challengeOf(server.url, fetchFn);
  const found = await discovered(server, { challenge, fetchFn });
  const { authorizationServerUrl: issuer, metadata, resourceMetadata } = found;
  const resource = resourceOf(server.url, resourceMetadata);
  const scope = server.oauth?.scope ?? challenge.scope ?? resourceMetadata?.scopes_supported?.join(" ");
  const clientInformation = await clientOf(request, { found, scope, fetchFn });
  const state = random(32);
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
    metadata,
    clientInformation,
    redirectUrl,
    state,
    ...defined({ scope, resource }),
  });
  if (!/^https?:$/.test(authorizationUrl.protocol)) throw failed(server, "it names no web page to log in");
  return {
    address: authorizationUrl.href,
    belongs: ({ searchParams }) => searchParams.get("state") === state,
    async finish({ searchParams }) {
      const refusal = searchParams.get("error");
      if (refusal !== null)
        throw new HostError(
          "not_allowed",
          `The login at ${server.name} was refused: ${refusalText(searchParams)}.`,
        );
      const authorizationCode = searchParams.get("code") ?? "";
      const iss = searchParams.get("iss") ?? undefined;
      const tokens = await exchangeAuthorization(issuer, {
        metadata,
        clientInformation,
        authorizationCode,
        codeVerifier,
        redirectUri: redirectUrl,
        fetchFn,
        ...defined({ iss, resource }),
      }).catch((cause: unknown) => {
        throw failed(server, "the service gave no token", cause);
      });
      const { client_id: clientId, client_secret: clientSecret } = clientInformation;
      return {
        url: server.url,
        issuer,
        metadata,
        clientId,
        ...defined({ clientSecret, resource }),
        ...tokenFacts(tokens, request.clock),
      };
    },
  };
}

type Challenge = ReturnType<typeof extractWWWAuthenticateParams>;

/** What the server says to a request without a token. Only its own address is asked, without its headers. */
async function challengeOf(url: string, fetchFn: WebFetch): Promise<Challenge> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const answer = await fetchFn(url, { method: "POST", headers, body });
  return answer.status === 401 ? extractWWWAuthenticateParams(answer) : {};
}

type Found = OAuthServerInfo & {
  readonly metadata: NonNullable<OAuthServerInfo["authorizationServerMetadata"]>;
};

async function discovered(
  server: WebServer,
  { challenge, fetchFn }: { readonly challenge: Challenge; readonly fetchFn: WebFetch },
): Promise<Found> {
  const { resourceMetadataUrl } = challenge;
  const found = await discoverOAuthServerInfo(server.url, {
    fetchFn,
    ...defined({ resourceMetadataUrl }),
  }).catch((cause: unknown) => {
    throw failed(server, "where it gives logins cannot be found out", cause);
  });
  const { authorizationServerMetadata: metadata, authorizationServerUrl } = found;
  if (metadata !== undefined) return { ...found, metadata };
  throw failed(
    server,
    `${new URL(authorizationServerUrl).origin} says nothing of logins. If the server takes a token, set it in its headers`,
  );
}

/** The resource for which tokens are asked: that of the server's metadata, when it stands for the server. */
function resourceOf(url: string, metadata: OAuthServerInfo["resourceMetadata"]): string | undefined {
  if (metadata === undefined) return undefined;
  const requestedResource = resourceUrlFromServerUrl(url);
  if (checkResourceAllowed({ requestedResource, configuredResource: metadata.resource }))
    return metadata.resource;
  throw new HostError(
    "tool_failed",
    `${url} says that its tokens are for ${metadata.resource}: a token for that is not asked for.`,
  );
}

interface Registration {
  readonly found: Found;
  readonly scope: string | undefined;
  readonly fetchFn: WebFetch;
}

async function clientOf({ server, redirectUrl }: LoginRequest, { found, scope, fetchFn }: Registration) {
  const { clientId, clientSecret } = server.oauth ?? {};
  if (clientId !== undefined) return { client_id: clientId, ...defined({ client_secret: clientSecret }) };
  const { metadata, authorizationServerUrl } = found;
  if (metadata.registration_endpoint === undefined)
    throw failed(
      server,
      `${new URL(authorizationServerUrl).origin} registers no programs by itself. Register one there, and set mcp_servers.${server.name}.oauth.client_id`,
    );
  return await registerClient(authorizationServerUrl, {
    metadata,
    clientMetadata: {
      client_name: "agent",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    ...defined({ scope }),
    fetchFn,
  }).catch((cause: unknown) => {
    throw failed(server, "the service did not register this program", cause);
  });
}

function refusalText(said: URLSearchParams): string {
  const [code, words] = [said.get("error") ?? "", said.get("error_description") ?? ""];
  const text = words === "" ? code : `${code}, ${words}`;
  return text.replaceAll(/\p{Cc}/gu, " ").slice(0, 300);
}

function failed({ name }: WebServer, why: string, cause?: unknown): HostError {
  const more = cause instanceof Error ? `: ${cause.message.replaceAll(/\p{Cc}/gu, " ").slice(0, 300)}` : "";
  return new HostError("tool_failed", `No login at the MCP server ${name}: ${why}${more}.`, { cause });
}
