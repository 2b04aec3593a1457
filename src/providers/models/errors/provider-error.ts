import { type ErrorCode, type ErrorDetails, HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { ModelIdentity } from "./model-identity.ts";
import { messageIn, errorText } from "./error-text.ts";

/** The code of an error that a provider caused. */
export type ProviderErrorCode = Extract<ErrorCode, `provider_${string}`>;

/** A provider's answer that is no reply. */
export interface ProviderRefusal {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The beginning of the body. */
  readonly body: string;
}

const OVERFLOW =
  /context[_ ](length|window|size|limit)|context_length_exceeded|(prompt|input|request|conversation) is too (long|large)|too many (input )?tokens|reduce the length|(input|prompt|token count|tokens).{0,60}exceed|exceeds? the (maximum|max|limit).{0,40}(tokens|input)|request too large|maximum (input|prompt) length/i;
const NO_MONEY =
  /insufficient[_ ](quota|funds|credits?|balance)|credit[_ ]balance|current quota|billing|spend(ing)?[_ ]limit|out of credits|not enough (credits?|balance)|payment[_ ]required|monthly (quota|limit|usage)|usage limit reached|balance.{0,20}(too low|exhausted|insufficient)|quota[_ ]exhausted/i;
const LATER = /try again|retry in|per[- ]?(minute|second)|slow down/i;
const TOO_FAST = /rate[_ -]?limit|too many requests|throttl|slow down/i;
const BUSY =
  /overloaded|at capacity|capacity (is )?exceeded|no capacity|temporarily unavailable|server is busy|high demand/i;
const NO_MODEL =
  /model_not_found|deployment_?not_?found|(model|deployment).{0,80}(does not exist|not found|not exist|not supported|is not a valid)|not a valid model|unknown model|no such model|invalid model/i;
const NO_KEY =
  /api key not valid|invalid[_ ]api[_ ]key|incorrect api key|unauthori[sz]ed|authentication|permission[_ ]denied/i;
const MALFORMED = /invalid[_ ]request|invalid[_ ]argument|bad[_ ]request|unsupported|validation/i;
const OTHER_DIALECT =
  /operation is unsupported|unsupported operation|does not work with the specified model|only supported in v1\/responses|not a chat model/i;

/** Makes an error of an answer that is no reply. Pure: `now` is Unix milliseconds, for dates in its headers. */
export function classifyRefusal(refusal: ProviderRefusal, identity: ModelIdentity, now: number): HostError {
  const { status, header, body } = refusal;
  const code = codeOf(status, body);
  const details: ErrorDetails = {
    status,
    ...defined({ retryAfterMs: retryAfter(header, now), requestId: requestIdOf(header) }),
  };
  const moved = status >= 300 && status < 400 ? redirectTarget(header("location")) : "";
  const text = errorText(body, identity.secrets);
  const what = `${identity.host} answered ${status}${moved} for ${identity.model}${text === "" ? "." : `: "${text}".`}`;
  return new HostError(code, `${what} ${remedy(code, identity, { body, details })}`, { details });
}

/** Makes an error of an error object inside a good answer. */
export function classifyErrorObject(error: unknown, identity: ModelIdentity): HostError {
  const body = JSON.stringify({ error });
  const status = numericStatus(error);
  const code = status === undefined ? codeOfWords(body, "provider_overloaded") : codeOf(status, body);
  const text = errorText(messageIn(error), identity.secrets);
  const what = `${identity.host} broke its answer for ${identity.model} off${text === "" ? "." : `: "${text}".`}`;
  const details = defined({ status });
  return new HostError(code, `${what} ${remedy(code, identity, { body, details })}`, { details });
}

function codeOf(status: number, body: string): ProviderErrorCode {
  if (status < 400) return "provider_not_found";
  if (status >= 500)
    return MALFORMED.test(body) || isOverflow(body) ? codeOfWords(body) : "provider_overloaded";
  switch (status) {
    case 401:
    case 403:
    case 407:
      return NO_MONEY.test(body) ? "provider_quota" : "provider_auth";
    case 402:
      return LATER.test(body) ? "provider_rate_limit" : "provider_quota";
    case 404:
      return "provider_not_found";
    case 408:
      return "provider_network";
    case 409:
      return "provider_overloaded";
    case 413:
      return "provider_context_overflow";
    case 429:
      return codeOfTooMany(body);
    default:
      return codeOfWords(body);
  }
}

/** 429 says "slow down", "no money", "too much at once" and "we are full". */
function codeOfTooMany(body: string): ProviderErrorCode {
  if (/request too large/i.test(body)) return "provider_context_overflow";
  if (NO_MONEY.test(body) && !LATER.test(body)) return "provider_quota";
  return BUSY.test(body) && !TOO_FAST.test(body) ? "provider_overloaded" : "provider_rate_limit";
}

function codeOfWords(body: string, otherwise: ProviderErrorCode = "provider_bad_request"): ProviderErrorCode {
  if (isOverflow(body)) return "provider_context_overflow";
  if (NO_MONEY.test(body) && !LATER.test(body)) return "provider_quota";
  if (TOO_FAST.test(body)) return "provider_rate_limit";
  if (BUSY.test(body)) return "provider_overloaded";
  if (NO_MODEL.test(body)) return "provider_not_found";
  if (NO_KEY.test(body)) return "provider_auth";
  return MALFORMED.test(body) ? "provider_bad_request" : otherwise;
}

/** The conversation is too long. A limit of the output alone that is set too high is another matter. */
const isOverflow = (body: string): boolean =>
  OVERFLOW.test(body) &&
  (!/max_(completion_|output_)?tokens/i.test(body) || /context|prompt|input/i.test(body));

function numericStatus(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  return Object.entries(error)
    .filter(([key]) => ["status", "status_code", "code", "http_code"].includes(key))
    .map(([, value]: [string, unknown]) => (typeof value === "string" ? Number(value) : value))
    .find(
      (value): value is number =>
        typeof value === "number" && Number.isInteger(value) && value >= 400 && value < 600,
    );
}

function remedy(
  code: ProviderErrorCode,
  identity: ModelIdentity,
  { body, details }: { readonly body: string; readonly details: ErrorDetails },
): string {
  switch (code) {
    case "provider_auth":
      return identity.keyRemedy;
    case "provider_quota":
      return "Add credit or raise the limit with the provider, or switch the model with /model.";
    case "provider_rate_limit":
      return `Try again ${later(details.retryAfterMs)}, or switch the model with /model.`;
    case "provider_overloaded":
      return `Try again ${later(details.retryAfterMs)}.`;
    case "provider_context_overflow":
      return "The conversation is too long for this model: shorten it with /compress, or switch to one with more context.";
    case "provider_not_found":
      return `Check the model's name and the base_url of ${identity.provider}; \`agent doctor\` helps.`;
    case "provider_bad_request":
      return OTHER_DIALECT.test(body)
        ? "The model does not answer in this dialect: set api_mode (such as responses_api), or choose another model."
        : "The request was refused as it is: try another model, or report this.";
    case "provider_network":
    case "provider_stalled":
      return "Try again.";
  }
}

const later = (ms: number | undefined): string =>
  ms === undefined || ms < 1000 ? "in a moment" : `in ${Math.ceil(ms / 1000)} s`;

/** The target of a redirect, without the parts of an address that may hold secrets. */
function redirectTarget(location: string | undefined): string {
  const target = URL.parse(location ?? "", "http://relative.invalid");
  if (target === null || location === undefined) return " (a redirect, which is not followed)";
  const place =
    target.hostname === "relative.invalid" ? target.pathname : `${target.origin}${target.pathname}`;
  return ` (a redirect to ${place.slice(0, 200)}, which is not followed)`;
}

const REQUEST_ID_HEADERS = ["x-request-id", "apim-request-id", "x-ms-request-id", "request-id"];

function requestIdOf(header: (name: string) => string | undefined): string | undefined {
  const id = REQUEST_ID_HEADERS.map(header).find((value) => value !== undefined);
  return id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id) ? id : undefined;
}

/**
 * Reads the milliseconds until a retry makes sense: `retry-after-ms`, else `retry-after` in seconds or as a date. A time
 * that is over is 0; a text that cannot be read gives `undefined`.
 */
export function retryAfter(header: (name: string) => string | undefined, now: number): number | undefined {
  const exact = number(header("retry-after-ms"));
  if (exact !== undefined) return Math.max(0, Math.round(exact));
  const text = header("retry-after");
  const seconds = number(text);
  if (seconds !== undefined) return Math.max(0, Math.round(seconds * 1000));
  const date = Date.parse(text ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function number(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
