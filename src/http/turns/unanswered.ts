import type { ErrorRecord } from "../../shared/errors/host-error.ts";

/** Failures whose remedy is the owner's, told as what they are; what asking again cannot mend is no 5xx. */
const OWN: Readonly<Partial<Record<ErrorRecord["code"], 402 | 502>>> = {
  provider_auth: 502,
  model_not_configured: 502,
  budget_exceeded: 402,
};

/** How a turn without any text is refused: clients try a 5xx again by themselves. */
export function unanswered(error: ErrorRecord | undefined): {
  readonly status: 402 | 502;
  readonly code: string;
} {
  const own = error === undefined ? undefined : OWN[error.code];
  if (error === undefined || own === undefined) return { status: 502, code: "agent_incomplete" };
  return { status: own, code: error.code };
}
