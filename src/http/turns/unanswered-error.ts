import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import { HttpError } from "../server/http-error.ts";

/** The statuses of failures that the owner must mend; where another try cannot help, it is no 5xx. */
const OWN_STATUS: Readonly<Partial<Record<ErrorRecord["code"], 402 | 502>>> = {
  provider_auth: 502,
  model_not_configured: 502,
  budget_exceeded: 402,
};

/**
 * Makes the error of a request whose client left before the turn was over. Nobody gets it: it is what the log says, in
 * the status that proxies use for that.
 */
export const clientLeft = (): HttpError =>
  // The framework's type lists official statuses only.
  new HttpError(499 as HttpError["status"], "The client left before its answer was there.", {
    code: "client_left",
  });

/** Makes the error of a turn that ended without any text. */
export function unansweredError(
  message: string,
  error: ErrorRecord | undefined,
  { headers, agent }: { readonly headers: Readonly<Record<string, string>>; readonly agent: object },
): HttpError {
  const own = error && OWN_STATUS[error.code];
  const code = own === undefined ? "agent_incomplete" : error?.code;
  return new HttpError(own ?? 502, message, { code: code ?? null, headers, extra: { agent } });
}
