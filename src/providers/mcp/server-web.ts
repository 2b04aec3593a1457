/** `fetch` that goes only where a server may send us. */
export type WebFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A way to one server, closed with the connection to it. */
export interface ServerWeb extends AsyncDisposable {
  readonly fetch: WebFetch;
}
