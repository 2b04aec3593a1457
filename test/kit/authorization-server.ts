import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { WebServer } from "../providers/mcp/web-server.ts";

/** A service that gives tokens to those who log in, as real ones do; each token to renew with is good for one time. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly origin: string;
  /** What came, with its headers. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  /** Times that a token was renewed, and tried to. */
  readonly renewals: { done: number; tried: number };
  /** The ids of programs that logged in. */
  readonly clients: readonly string[];
  /** From now on people say no. */
  denies: boolean;
  /** It has no metadata. */
  silent: boolean;
  /** It registers programs by itself. */
  registers: boolean;
  /** Seconds that tokens are good for. */
  lasts: number;
  /** Tokens that were given are good no more; those to renew with are. */
  expire(): void;
  /** All logins are over. */
  revoke(): void;
  isGood(token: string): boolean;
}

interface Code {
  readonly challenge: string;
  readonly redirect: string;
  readonly client: string;
}

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const good = new Set<string>();
  const renewing = new Set<string>();
  const codes = new Map<string, Code>();
  const requests: { path: string; headers: IncomingMessage["headers"] }[] = [];
  const clients: string[] = [];
  const secret = (): string => randomBytes(16).toString("hex");
  const json = (response: ServerResponse, status: number, body: object): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const tokens = (response: ServerResponse): void => {
    const [access, renew] = [`access-${secret()}`, `renew-${secret()}`];
    good.add(access);
    renewing.add(renew);
    json(response, 200, {
      access_token: access,
      refresh_token: renew,
      token_type: "Bearer",
      expires_in: service.lasts,
    });
  };
  const token = (form: URLSearchParams, response: ServerResponse): void => {
    const renew = form.get("refresh_token");
    if (renew !== null) {
      service.renewals.tried += 1;
      if (!renewing.delete(renew)) return json(response, 400, { error: "invalid_grant" });
      service.renewals.done += 1;
      return tokens(response);
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const verified = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const fits =
      code?.challenge === verified &&
      code.redirect === form.get("redirect_uri") &&
      code.client === form.get("client_id");
    if (!fits) return json(response, 400, { error: "invalid_grant" });
    clients.push(code.client);
    tokens(response);
  };
  const authorize = ({ searchParams: asked }: URL, response: ServerResponse): void => {
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("state", asked.get("state") ?? "");
    if (service.denies) {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_description", "The person said no");
    } else {
      const code = secret();
      back.searchParams.set("code", code);
      codes.set(code, {
        challenge: asked.get("code_challenge") ?? "",
        redirect: asked.get("redirect_uri") ?? "",
        client: asked.get("client_id") ?? "",
      });
    }
    response.writeHead(302, { location: back.href }).end();
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const url = new URL(request.url ?? "/", service.origin);
    requests.push({ path: url.pathname, headers: request.headers });
    if (url.pathname === "/authorize") return authorize(url, response);
    if (url.pathname === "/token") return token(new URLSearchParams(body), response);
    if (url.pathname === "/register" && service.registers)
      return json(response, 201, { ...(JSON.parse(body) as object), client_id: `client-${secret()}` });
    if (url.pathname !== "/.well-known/oauth-authorization-server" || service.silent)
      return json(response, 404, {});
    json(response, 200, {
      issuer: service.origin,
      authorization_endpoint: `${service.origin}/authorize`,
      token_endpoint: `${service.origin}/token`,
      ...(service.registers ? { registration_endpoint: `${service.origin}/register` } : {}),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
    });
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const service: AuthorizationServer = {
    // It listens on a port.
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    clients,
    renewals: { done: 0, tried: 0 },
    denies: false,
    silent: false,
    registers: true,
    lasts: 3600,
    expire: () => good.clear(),
    revoke() {
      good.clear();
      renewing.clear();
    },
    isGood: (given) => good.has(given),
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
  return service;
}

/** Lets a server serve only those who have a token of a service, and say where to get one. */
export function guardWith(web: WebServer, service: AuthorizationServer): void {
  const metadata = `${web.origin}/.well-known/oauth-protected-resource/mcp`;
  web.guard = (request, response) => {
    if (request.url === new URL(metadata).pathname) {
      const resource = { resource: `${web.origin}/mcp`, authorization_servers: [service.origin] };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(resource));
      return true;
    }
    const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (service.isGood(token)) return false;
    response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
    return true;
  };
}
