import { HostError } from "../../../shared/errors/host-error.ts";

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** How long a model may take, in milliseconds. */
export interface ModelTimeouts {
  /** No byte of a streamed answer arrived. */
  readonly readMs: number;
  /** Bytes of a streamed answer arrived, but nothing that says something. */
  readonly staleMs: number;
  /** An answer in one piece, from the request to its last byte. */
  readonly wholeMs: number;
}

/** The variables that set them, for the message that one was reached. */
export const TIMEOUT_VARIABLES = {
  readMs: "AGENT_STREAM_READ_TIMEOUT",
  staleMs: "AGENT_STREAM_STALE_TIMEOUT",
  wholeMs: "AGENT_API_TIMEOUT",
} as const satisfies Record<keyof ModelTimeouts, string>;

const HOSTED: ModelTimeouts = { readMs: 120_000, staleMs: 180_000, wholeMs: 1_800_000 };
/** A model on a small machine may read a long prompt for minutes before its first word. */
const LOCAL: ModelTimeouts = { readMs: 1_800_000, staleMs: Number.POSITIVE_INFINITY, wholeMs: 1_800_000 };

const LONGEST_SECONDS = 30 * 24 * 3600;

/**
 * The timeouts of an endpoint; what the environment sets (in seconds) goes before all defaults.
 *
 * @throws HostError `config_invalid` naming the variable
 */
export function timeoutsFor(env: EnvironmentVariables, options: { readonly local: boolean }): ModelTimeouts {
  const defaults = options.local ? LOCAL : HOSTED;
  return {
    readMs: fromEnvironment(env, TIMEOUT_VARIABLES.readMs) ?? defaults.readMs,
    staleMs: fromEnvironment(env, TIMEOUT_VARIABLES.staleMs) ?? defaults.staleMs,
    wholeMs: fromEnvironment(env, TIMEOUT_VARIABLES.wholeMs) ?? defaults.wholeMs,
  };
}

function fromEnvironment(env: EnvironmentVariables, name: string): number | undefined {
  const value = env[name]?.trim() ?? "";
  if (value === "") return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (seconds > 0 && seconds <= LONGEST_SECONDS) return seconds * 1000;
  throw new HostError(
    "config_invalid",
    `${name} is no usable number of seconds. Write one above 0 and at most ${LONGEST_SECONDS}, e.g. 120, or remove it.`,
    { details: { subject: name } },
  );
}
