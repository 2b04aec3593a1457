import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What is wrong with a token. */
export interface TokenFaults {
  readonly nonce?: string;
  readonly aud?: string;
  readonly iss?: string;
  /** Seconds until it ends. */
  readonly lastsS?: number;
  /** It is signed with a key of somebody else. */
  readonly forged?: true;
}

const CLIENT = { id: "agent-dashboard", secret: "a-secret-of-the-client" };

/** An OpenID provider on 127.0.0.1 that lets everybody in at once, and checks what a client owes it. */
export class FakeProvider implements AsyncDisposable {
  /** What is told of who signs in: in the token, and on request. */
  claims: Readonly<Record<string, unknown>> = { sub: "u1", email: "ada@example.test", groups: ["staff"] };
  userinfo: Readonly<Record<string, unknown>> = {};
  faults: TokenFaults = {};
  /** It lets nobody in. */
  denies = false;
  readonly #keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  readonly #others = generateKeyPairSync("rsa", { modulusLength: 2048 });
  readonly #codes = new Map<string, URLSearchParams>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #next = 1;

  static async start(): Promise<FakeProvider> {
    const provider = new FakeProvider();
    await new Promise<void>((resolve) => void provider.#server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get settings() {
    const { id: clientId, secret: clientSecret } = CLIENT;
    const scope = "openid profile email";
    return { issuer: this.issuer, clientId, clientSecret, claim: "groups", value: "staff", scope };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer);
    const json = (status: number, body: unknown): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(200, this.#metadata());
      case "/jwks":
        return json(200, {
          keys: [{ ...this.#keys.publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }],
        });
      case "/authorize":
        return void response.writeHead(302, { location: this.#letIn(url.searchParams) }).end();
      case "/token": {
        let body = "";
        for await (const chunk of request) body += String(chunk);
        return json(...this.#redeem(new URLSearchParams(body)));
      }
      case "/userinfo":
        return json(200, { sub: this.claims["sub"], ...this.userinfo });
      default:
        return json(404, {});
    }
  }

  #metadata(): object {
    const at = (path: string): string => `${this.issuer}${path}`;
    return {
      issuer: this.issuer,
      authorization_endpoint: at("/authorize"),
      token_endpoint: at("/token"),
      jwks_uri: at("/jwks"),
      userinfo_endpoint: at("/userinfo"),
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    };
  }

  #letIn(asked: URLSearchParams): string {
    const back = new URL(asked.get("redirect_uri") ?? "");
    const state = asked.get("state") ?? "";
    const code = `code${this.#next++}`;
    this.#codes.set(code, asked);
    const answer = this.denies ? { error: "access_denied", error_description: "Not today." } : { code };
    back.search = new URLSearchParams({ ...answer, state }).toString();
    return back.href;
  }

  #redeem(given: URLSearchParams): readonly [number, object] {
    const code = given.get("code") ?? "";
    const asked = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash("sha256")
      .update(given.get("code_verifier") ?? "")
      .digest("base64url");
    if (given.get("client_id") !== CLIENT.id || given.get("client_secret") !== CLIENT.secret)
      return [401, { error: "invalid_client" }];
    const isRight =
      asked?.get("code_challenge") === challenge && asked.get("redirect_uri") === given.get("redirect_uri");
    if (asked === undefined || !isRight) return [400, { error: "invalid_grant" }];
    return [200, { access_token: "an-access-token", token_type: "Bearer", id_token: this.#token(asked) }];
  }

  #token(asked: URLSearchParams): string {
    const {
      nonce = asked.get("nonce"),
      aud = CLIENT.id,
      iss = this.issuer,
      lastsS = 300,
      forged,
    } = this.faults;
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss, aud, nonce, iat: now, exp: now + lastsS, ...this.claims };
    return signed(claims, (forged === true ? this.#others : this.#keys).privateKey);
  }
}

function signed(claims: object, key: KeyObject): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "RS256", kid: "1" })}.${part(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}
