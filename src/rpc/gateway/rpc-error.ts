import { ERROR_CODES, type HostError } from "../../shared/errors/host-error.ts";
import type { Method } from "../protocol/method.ts";

/** An error as it goes over the wire. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

/**
 * What a caller is told of a failure. Only errors that the host foresaw speak for themselves; of all others the
 * caller learns that they happened, and the log what.
 */
export function rpcError(
  error: HostError,
  { name, row }: { readonly name: string; readonly row: Method },
): RpcError {
  if (error.code === "internal" && row.codes?.internal === undefined) {
    return { code: INTERNAL_ERROR, message: `${name} failed inside the host; its log says why.` };
  }
  const code = row.codes?.[error.code] ?? ERROR_CODES[error.code].rpc;
  const { subject, retryAfterMs } = error.details;
  return {
    code,
    message: error.message,
    data: {
      code: error.code,
      ...(subject === undefined ? {} : { subject }),
      ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    },
  };
}
