/**
 * Every code that leaves the host, with its number on each wire: `rpc` is the default for the JSON-RPC
 * gateway (a method may override it), `acp` the Agent Client Protocol's, `http` the status.
 */
export const ERROR_CODES = {
  invalid_params: { rpc: -32602, acp: -32602, http: 400 },
  invalid_title: { rpc: 4022, acp: -32602, http: 400 },
  config_invalid: { rpc: 5001, acp: -32603, http: 500 },
  unsupported_content_type: { rpc: 4016, acp: -32602, http: 400 },
  unauthorized: { rpc: -32001, acp: -32000, http: 401 },
  not_allowed: { rpc: 4031, acp: -32603, http: 403 },
  not_found: { rpc: 4004, acp: -32002, http: 404 },
  conflict: { rpc: 4009, acp: -32603, http: 409 },
  blob_not_found: { rpc: 4016, acp: -32002, http: 404 },
  session_not_found: { rpc: 4007, acp: -32002, http: 404 },
  session_exists: { rpc: 4022, acp: -32602, http: 409 },
  session_busy: { rpc: 4009, acp: -32603, http: 409 },
  session_damaged: { rpc: 5000, acp: -32603, http: 500 },
  session_unreachable: { rpc: 5000, acp: -32603, http: 503 },
  lease_lost: { rpc: 5000, acp: -32603, http: 409 },
  turn_not_running: { rpc: 4010, acp: -32603, http: 409 },
  question_not_pending: { rpc: 4009, acp: -32603, http: 409 },
  answer_invalid: { rpc: 4004, acp: -32602, http: 400 },
  nothing_to_undo: { rpc: 4018, acp: -32603, http: 409 },
  nothing_to_branch: { rpc: 4008, acp: -32603, http: 409 },
  unknown_command: { rpc: 4018, acp: -32602, http: 404 },
  command_usage: { rpc: 4004, acp: -32602, http: 400 },
  model_not_configured: { rpc: 5032, acp: -32000, http: 502 },
  model_unknown: { rpc: 4002, acp: -32602, http: 400 },
  provider_auth: { rpc: 5032, acp: -32000, http: 502 },
  provider_quota: { rpc: -32010, acp: -32603, http: 429 },
  provider_rate_limit: { rpc: -32010, acp: -32603, http: 429 },
  provider_overloaded: { rpc: -32010, acp: -32603, http: 503 },
  provider_context_overflow: { rpc: -32010, acp: -32603, http: 400 },
  provider_bad_request: { rpc: -32010, acp: -32603, http: 502 },
  provider_not_found: { rpc: -32010, acp: -32603, http: 502 },
  provider_network: { rpc: -32010, acp: -32603, http: 502 },
  provider_stalled: { rpc: -32010, acp: -32603, http: 504 },
  context_exhausted: { rpc: -32010, acp: -32603, http: 400 },
  limit_exceeded: { rpc: -32011, acp: -32603, http: 409 },
  budget_exceeded: { rpc: -32015, acp: -32603, http: 402 },
  outside_workspace: { rpc: 4030, acp: -32602, http: 403 },
  fetch_refused: { rpc: 4016, acp: -32602, http: 400 },
  fetch_failed: { rpc: 4016, acp: -32603, http: 502 },
  delivery_failed: { rpc: -32015, acp: -32603, http: 502 },
  tool_failed: { rpc: -32012, acp: -32603, http: 500 },
  interrupted: { rpc: -32800, acp: -32800, http: 409 },
  timeout: { rpc: -32013, acp: -32603, http: 504 },
  draining: { rpc: -32014, acp: -32603, http: 503 },
  store_unavailable: { rpc: 5008, acp: -32603, http: 503 },
  store_full: { rpc: 5008, acp: -32603, http: 507 },
  store_corrupt: { rpc: 5008, acp: -32603, http: 500 },
  internal: { rpc: -32603, acp: -32603, http: 500 },
} as const satisfies Record<string, { rpc: number; acp: number; http: number }>;

/** The code of an error, for machines. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Facts for machines beside the code; only values that may leave the process. */
export interface ErrorDetails {
  /** Milliseconds until a retry makes sense, as the other side said. */
  readonly retryAfterMs?: number;
  /** Parts of a text that had arrived before. */
  readonly partsSent?: number;
  /** The other side may have taken it all the same. */
  readonly uncertain?: true;
  /** The code with which the other side closed a WebSocket. */
  readonly closeCode?: number;
  /** HTTP status of a model endpoint's answer. */
  readonly status?: number;
  /** The model endpoint's own id of the request, for its support. */
  readonly requestId?: string;
  /** The setting, parameter or id that was wrong. */
  readonly subject?: string;
}

/** The one error class: a code for machines, a message for people, the cause for the log. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: ErrorDetails } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** An error as it is stored in the log and sent to clients: no stack, no cause. */
export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
}

/** Gives the message of anything thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Anything thrown, as a `HostError`; what is none already becomes `code` and keeps its cause. */
export function toHostError(thrown: unknown, code: ErrorCode = "internal"): HostError {
  if (thrown instanceof HostError) return thrown;
  return new HostError(code, messageOf(thrown), { cause: thrown });
}

const PASSING_IN_STORE: ReadonlySet<ErrorCode> = new Set(["store_unavailable", "store_full", "conflict"]);

/** Whether it is the failure of a store that is there again by and by. */
export const isPassingStoreFailure = ({ code }: HostError): boolean => PASSING_IN_STORE.has(code);

/** The error of a tool that could not do what was asked; its message is for the model. */
export const toolFailed = (message: string, cause?: unknown): HostError =>
  new HostError("tool_failed", message, cause === undefined ? {} : { cause });

/** An error as it may be stored and sent. */
export function errorRecord(error: HostError): ErrorRecord {
  const { code, message, details } = error;
  return Object.keys(details).length > 0 ? { code, message, details } : { code, message };
}

/** The error that a record was made of, as far as the record goes. */
export const fromErrorRecord = ({ code, message, details = {} }: ErrorRecord): HostError =>
  new HostError(code, message, { details });

/** Whether a text is one of the codes. */
export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(ERROR_CODES, value);
}
