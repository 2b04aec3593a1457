import { createHash } from "node:crypto";
import type { ToolCall } from "../events/reply.ts";
import type { ApprovalChoice } from "../events/question-events.ts";
import { canonicalJson } from "../../shared/json/json.ts";
import { askForHosts } from "./reached-hosts.ts";
import type { Policy } from "../ports/policy.ts";
import type { SessionState } from "../state/state.ts";
import type { AnyTool, Permit, ToolEffect } from "../ports/tool.ts";
import { modeOf, PLAN_REFUSAL } from "./session-mode.ts";

type Ask = Extract<Permit, { verdict: "ask" }>;

/** The decision about a call: run it, deny it, or ask first. */
export type Verdict =
  | { readonly action: "run" }
  | { readonly action: "deny"; readonly reason: string }
  | { readonly action: "ask"; readonly permit: Ask };

/** A call as it is judged: what its tool says about it, and what that tool does. */
export interface JudgedCall {
  readonly permit: Permit;
  readonly effect: ToolEffect;
}

/** Decides about a call by the session's mode, the owner's policy, and what the session was allowed before. */
export function judge({ permit: given, effect }: JudgedCall, policy: Policy, state: SessionState): Verdict {
  const session = modeOf(state.settings, policy.approvals);
  if (session === "plan" && mayChange(given, effect)) return { action: "deny", reason: PLAN_REFUSAL };
  const permit = askForHosts(given, state, policy.approvals) ?? given;
  switch (permit.verdict) {
    case "allow":
      return { action: "run" };
    case "block":
      return { action: "deny", reason: permit.reason };
    case "ask": {
      const { allowed } = policy.approvals;
      const all = session === "all" && permit.leaves !== true;
      const trusted = all || (session === "edits" && permit.harmless);
      return trusted || isCovered(permit.patterns, state.allowed, allowed)
        ? { action: "run" }
        : { action: "ask", permit };
    }
  }
}

/** Whether rules of the session or of the owner allow all of some patterns. */
export function isCovered(
  patterns: readonly string[],
  session: readonly string[],
  owner: readonly string[],
): boolean {
  return (
    patterns.length > 0 && patterns.every((pattern) => session.includes(pattern) || owner.includes(pattern))
  );
}

/** Whether a call could change anything, as far as its tool knows. */
function mayChange(permit: Permit, effect: ToolEffect): boolean {
  switch (permit.verdict) {
    case "allow":
      return permit.changes === true;
    case "block":
      return false;
    case "ask":
      return effect !== "pure";
  }
}

/** The permit of a tool that judges nothing itself: reading is free, all else asks. */
export function defaultPermit(tool: AnyTool, label: string): Permit {
  if (tool.effect === "pure") return { verdict: "allow" };
  return {
    verdict: "ask",
    harmless: false,
    command: label,
    description: tool.description,
    patterns: [`tool:${tool.name}`],
    reasons: ["is a tool that can change something"],
    allowPermanent: true,
  };
}

export function choicesFor(permit: Pick<Ask, "patterns" | "allowPermanent">): readonly ApprovalChoice[] {
  if (permit.patterns.length === 0) return ["once", "deny"];
  return permit.allowPermanent ? ["once", "session", "always", "deny"] : ["once", "session", "deny"];
}

/** Binds an approval to the exact call: SHA-256 over name and canonical arguments. */
export function callHash({ name, input }: ToolCall): string {
  return createHash("sha256").update(canonicalJson({ name, input })).digest("hex");
}
