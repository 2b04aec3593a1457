/** The reason why a request failed: the gateway's answer, or a lost connection. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  /** The number of the protocol; `DISCONNECTED` when there was no answer. */
  readonly code: number;
  /** More facts from the gateway: `code` is the host's word for the failure. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: number, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The connection ended before the answer: whether the request took effect is not known. */
export const DISCONNECTED = -32_098;
/** The caller did not want to wait any longer. */
export const ABORTED = -32_800;
