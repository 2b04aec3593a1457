import type { Policy } from "../ports/policy.ts";
import { modeOf } from "./session-mode.ts";
import type { Permit } from "../ports/tool.ts";
import { hostOf, plainHost } from "../state/named-hosts.ts";
import type { SessionState } from "../state/state.ts";

type Ask = Extract<Permit, { verdict: "ask" }>;
type Approvals = Policy["approvals"];
type Known = Pick<SessionState, "sensitive" | "namedHosts" | "allowed" | "settings">;

/** The pattern under which a session allows a host. */
export const hostPattern = (host: string): string => `host:${plainHost(host)}`;

/** Whether a session may send a request to a host unasked: nothing sensitive was read, or somebody named or allowed it. */
export function mayReach(host: string, state: Known, approvals: Approvals): boolean {
  if (state.sensitive !== true || modeOf(state.settings, approvals) === "all") return true;
  const pattern = hostPattern(host);
  return (
    state.namedHosts.includes(plainHost(host)) ||
    state.allowed.includes(pattern) ||
    approvals.allowed.includes(pattern)
  );
}

/**
 * Makes the question of a call that would send a request to hosts that nobody named, after something sensitive was read;
 * `undefined` when there is no such host.
 */
export function askForHosts(permit: Permit, state: Known, approvals: Approvals): Ask | undefined {
  if (permit.verdict === "block") return undefined;
  const strangers = [...new Set((permit.reaches ?? []).map(hostIn))].filter(
    (host) => !mayReach(host, state, approvals),
  );
  if (strangers.length === 0) return undefined;
  const names = strangers.map((host) => (host === "" ? "an address that cannot be read" : host)).join(", ");
  const doubt = `This session has read something sensitive, and nobody has named ${names} in it: the request could carry it there.`;
  const patterns = strangers.includes("") ? [] : strangers.map(hostPattern);
  if (permit.verdict === "ask") {
    const coverable = permit.patterns.length > 0 && patterns.length > 0;
    return {
      ...permit,
      reasons: [...(permit.reasons ?? []), REASON],
      harmless: false,
      description: `${permit.description}\n${doubt}`,
      patterns: coverable ? [...permit.patterns, ...patterns] : [],
      ...(permit.parts && { parts: coverable ? [...permit.parts, ...patterns.map((each) => [each])] : [] }),
      allowPermanent: false,
    };
  }
  return {
    verdict: "ask",
    harmless: false,
    command: `request ${(permit.reaches ?? []).join(" ")}`,
    description: doubt,
    reasons: [REASON],
    patterns,
    allowPermanent: false,
  };
}

const REASON = "could carry a secret to another machine";

/** The host of an address or of a bare name; empty for what is neither. */
const hostIn = (address: string): string => hostOf(address) ?? "";
