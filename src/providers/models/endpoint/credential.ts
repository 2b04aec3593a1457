/** A credential for one request: a key that its owner holds, or a token that was issued for this moment. */
export interface Credential {
  readonly kind: "key" | "token";
  readonly value: string;
}

/**
 * A source of credentials, asked before each request; `undefined` where none is needed.
 *
 * @throws HostError `provider_auth`
 */
export type CredentialSource = (signal: AbortSignal) => Promise<Credential | undefined>;

/** Headers of a request. */
export type Headers = Readonly<Record<string, string>>;

/** The header that carries a token, and a key at most endpoints. */
export const bearer = (value: string): Headers => ({ authorization: `Bearer ${value}` });
