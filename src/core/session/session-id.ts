import type { Clock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { RandomHex } from "../../shared/crypto/random-hex.ts";

const pad = (value: number): string => String(value).padStart(2, "0");

/** A session id in the host's own form, `YYYYMMDD_HHMMSS_` and 6 hex digits, in UTC. */
export function newSessionId(now: number, hex: RandomHex): string {
  const at = new Date(now);
  const day = `${at.getUTCFullYear()}${pad(at.getUTCMonth() + 1)}${pad(at.getUTCDate())}`;
  const time = `${pad(at.getUTCHours())}${pad(at.getUTCMinutes())}${pad(at.getUTCSeconds())}`;
  return `${day}_${time}_${hex(3)}`;
}

const LONGEST_SESSION_ID = 256;
// Control characters, slashes and backslashes never belong in an id that may become a file name or a header.
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const UNSAFE_IN_ID = /[\u0000-\u001f\u007f-\u009f/\\]/;

/**
 * Checks a session id that a client chose.
 *
 * @throws HostError `invalid_params` when it is empty, over 256 characters, or could be mistaken for a path
 */
export function checkSessionId(id: string): string {
  if (id.trim() === "") throw new HostError("invalid_params", "A session id must not be empty.");
  if (id.length > LONGEST_SESSION_ID) {
    throw new HostError(
      "invalid_params",
      `Session ID too long: ${id.length} characters, at most ${LONGEST_SESSION_ID}.`,
    );
  }
  if (UNSAFE_IN_ID.test(id) || id.includes("..")) {
    throw new HostError(
      "invalid_params",
      "Invalid session ID: control characters, slashes and `..` are not allowed.",
    );
  }
  return id;
}

/** The id that was asked for, checked; else a new one. @throws HostError `invalid_params` */
export function sessionIdFor(
  { clock, hex }: { readonly clock: Clock; readonly hex: RandomHex },
  wanted: string | undefined,
): string {
  return wanted === undefined ? newSessionId(clock.now(), hex) : checkSessionId(wanted);
}
