/** A connection to a server of the account's own, for what is no HTTP. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
  /** Resolves when the bytes are on their way. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** Goes on in TLS: nothing that came before it is read any more. @throws HostError `fetch_failed` */
  startTls(): Promise<void>;
  /** Ends it; reading ends too. */
  close(): void;
}

/** A way to open connections. Reading one throws `fetch_failed` when it breaks. */
export type OpenStream = (
  server: { readonly host: string; readonly port: number; readonly tls: boolean },
  signal: AbortSignal,
) => Promise<ByteStream>;
