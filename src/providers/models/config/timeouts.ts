import { HostError } from "../../../shared/errors/host-error.ts";
import { type EnvironmentVariables, valueOf } from "./environment.ts";

/** The longest waits for a model, in milliseconds. */
export interface ModelTimeouts {
  /** Without a byte of a streamed answer. */
  readonly readMs: number;
  /** With bytes of a streamed answer, but without a part of the reply among them. */
  readonly staleMs: number;
  /** From a request to the last byte of an answer in one piece. */
  readonly wholeMs: number;
}

/** The environment variables that set the timeouts. */
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
  const timeout = (key: keyof ModelTimeouts): number =>
    fromEnvironment(env, TIMEOUT_VARIABLES[key]) ?? defaults[key];
  return { readMs: timeout("readMs"), staleMs: timeout("staleMs"), wholeMs: timeout("wholeMs") };
}

function fromEnvironment(env: EnvironmentVariables, name: string): number | undefined {
  const value = valueOf(env, name);
  if (value === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (seconds > 0 && seconds <= LONGEST_SECONDS) return seconds * 1000;
  throw new HostError(
    "config_invalid",
    `${name} is no usable number of seconds. Write one above 0 and at most ${LONGEST_SECONDS}, e.g. 120, or remove it.`,
    { details: { subject: name } },
  );
}
