import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request for a token as the server saw it. */
export interface TokenRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | undefined;
}

/** A service that gives out tokens: `token-1`, `token-2` and so on. */
export interface IdentityServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly TokenRequest[];
  /** From now on tokens for this resource are refused. */
  refuse(resource: string): void;
  /** Requests for this resource are never answered; resolves when one is there. */
  hold(resource: string): Promise<void>;
}

/** Starts a service that knows a machine's own identity, as app hosts in the cloud have one beside each app. */
export async function startIdentityServer(): Promise<IdentityServer> {
  const requests: TokenRequest[] = [];
  const refused = new Set<string>();
  const held = new Map<string, () => void>();
  const listener = tokenListener(requests, refused);
  const server = createServer((incoming, response) => {
    const resource = new URL(incoming.url ?? "/", "http://127.0.0.1").searchParams.get("resource") ?? "";
    const arrived = held.get(resource);
    if (arrived === undefined) listener(incoming, response);
    else arrived();
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  // A server that listens on a port has an address with one.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    refuse: (resource) => void refused.add(resource),
    hold(resource) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(resource, resolve);
      return promise;
    },
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

const LIFETIME_S = 3600;

/** Answers requests for tokens, and questions of clients for the addresses of an authority. */
export function tokenListener(
  requests: TokenRequest[],
  refused: ReadonlySet<string> = new Set(),
): RequestListener {
  const answer = async (incoming: IncomingMessage): Promise<object> => {
    const origin = `https://${incoming.headers.host ?? ""}`;
    const url = new URL(incoming.url ?? "/", origin);
    const tenant = url.pathname.split("/")[1] ?? "";
    if (url.pathname.endsWith("/openid-configuration")) {
      return {
        issuer: `${origin}/${tenant}/v2.0`,
        authorization_endpoint: `${origin}/${tenant}/oauth2/v2.0/authorize`,
        token_endpoint: `${origin}/${tenant}/oauth2/v2.0/token`,
        jwks_uri: `${origin}/${tenant}/discovery/v2.0/keys`,
      };
    }
    requests.push({
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      form: Object.fromEntries(new URLSearchParams(await text(incoming))),
      header: (name) => [incoming.headers[name]].flat()[0],
    });
    const resource = url.searchParams.get("resource") ?? "";
    if (refused.has(resource)) return { error: "invalid_resource", error_description: "No such resource." };
    return {
      access_token: `token-${requests.length}`,
      token_type: "Bearer",
      expires_in: LIFETIME_S,
      expires_on: String(Math.floor(Date.now() / 1000) + LIFETIME_S),
      resource,
    };
  };
  return (incoming, response) => {
    answer(incoming).then(
      (body) => {
        response.writeHead("error" in body ? 400 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      },
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  };
}
