import { HostError } from "../../../shared/errors/host-error.ts";
import { TIMEOUT_VARIABLES, type ModelTimeouts } from "../config/timeouts.ts";
import type { ModelIdentity } from "./model-identity.ts";
import { ResponseTooLarge } from "./response-too-large.ts";
import type { TimeoutKind } from "../stream/timeout-monitor.ts";

/** What is wrong when the network gives a code, and what to do. */
const CAUSES: readonly (readonly [code: RegExp, problem: string, remedy: string])[] = [
  [/^ECONNREFUSED$/, "refused the connection", "Is the model server running, and is base_url right?"],
  [/^(ENOTFOUND|EAI_)/, "was not found by name", "Check base_url and this machine's network."],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
    "cannot be reached",
    "Check base_url, proxy settings and this machine's network.",
  ],
  [
    /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO_/,
    "has no certificate that this machine trusts",
    "Check base_url and the machine's clock; NODE_EXTRA_CA_CERTS names further authorities.",
  ],
];

/** The error for a call whose answer did not come, or broke. */
export function networkError(thrown: unknown, identity: ModelIdentity): HostError {
  if (thrown instanceof HostError) return thrown;
  if (thrown instanceof ResponseTooLarge) {
    const message = `${identity.host} sent more for ${identity.model} than any reply is long. Is base_url the address of a model endpoint?`;
    return new HostError("provider_bad_request", message, { cause: thrown });
  }
  const code = rootCode(thrown);
  const [, problem, remedy] = CAUSES.find(([pattern]) => pattern.test(code)) ?? [];
  const message =
    problem === undefined
      ? `The connection to ${identity.host} broke during the answer of ${identity.model}${code === "" ? "" : ` (${code})`}. Try again.`
      : `${identity.host} ${problem} (${code}). ${remedy}`;
  return new HostError("provider_network", message, { cause: thrown });
}

const SILENT = { problem: "sent nothing", key: "readMs" } as const;
const TIMEOUTS = {
  read: SILENT,
  tail: SILENT,
  stale: { problem: "kept the connection alive but said nothing", key: "staleMs" },
  whole: { problem: "did not finish its answer", key: "wholeMs" },
} as const satisfies Record<TimeoutKind, { problem: string; key: keyof ModelTimeouts }>;

/** The error for an answer that took too long. */
export function stalledError(
  timeout: TimeoutKind,
  timeouts: ModelTimeouts,
  identity: ModelIdentity,
): HostError {
  const { problem, key } = TIMEOUTS[timeout];
  const seconds = Math.round(timeouts[key] / 100) / 10;
  return new HostError(
    "provider_stalled",
    `${identity.model} at ${identity.host} ${problem} for ${seconds} s. Try again, or raise ${TIMEOUT_VARIABLES[key]} (seconds).`,
  );
}

/** The network's own code at the bottom of a chain of causes, or nothing. */
function rootCode(thrown: unknown): string {
  let code = "";
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; depth += 1) {
    if ("code" in error && typeof error.code === "string") code = error.code;
    error = error instanceof AggregateError ? error.errors[0] : error.cause;
  }
  return code;
}
