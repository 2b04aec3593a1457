import { createHash } from "node:crypto";
import type { ToolCall } from "../events/reply.ts";
import type { AlwaysScope, ApprovalChoice, ApprovalRequest } from "../events/question-events.ts";
import { canStandIn, isAtOrBelow, readFolderRule, writeFolderRule } from "../../shared/text/folder-rule.ts";
import { defined } from "../../shared/json/defined.ts";
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
      const folder = permit.folder ?? state.roots[0];
      return trusted || isCovered({ ...permit, ...defined({ folder }) }, [...state.allowed, ...allowed])
        ? { action: "run" }
        : { action: "ask", permit };
    }
  }
}

type Coverable = Pick<Ask, "patterns" | "parts" | "folder">;

/** Whether rules, those of the session and of the owner, allow all of a call. */
export function isCovered({ patterns, parts, folder }: Coverable, rules: readonly string[]): boolean {
  const holding = new Set(rules.flatMap((rule) => inFolder(rule, folder) ?? []));
  const needed = parts ?? patterns.map((pattern) => [pattern]);
  return needed.length > 0 && needed.every((covering) => covering.some((rule) => holding.has(rule)));
}

/** A rule without the folder in which it holds; `undefined` where it does not hold. */
function inFolder(rule: string, folder: string | undefined): string | undefined {
  const placed = readFolderRule(rule);
  if (placed === undefined) return rule;
  return folder !== undefined && isAtOrBelow(folder, placed.folder) ? placed.rule : undefined;
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

/**
 * Lists what an answer for ever may cover: the call alone before all of its kind, the workspace before everywhere. Without a choice
 * between two there is no list.
 */
export function scopesFor(permit: Ask, workspace: string | undefined): readonly AlwaysScope[] | undefined {
  if (!choicesFor(permit).includes("always")) return undefined;
  const usual = [...new Set(permit.patterns)];
  const narrow = [...new Set(permit.parts?.map((covering) => covering.at(-1) ?? "") ?? usual)];
  const kinds = narrow.join("\n") === usual.join("\n") ? [usual] : [narrow, usual];
  const { folder: place = workspace } = permit;
  const folder =
    place !== undefined && workspace !== undefined && isAtOrBelow(place, workspace) ? workspace : place;
  const placed =
    folder !== undefined && kinds.flat().every((rule) => canStandIn({ folder, rule }))
      ? kinds.map((rules) => ({ folder, rules: rules.map((rule) => writeFolderRule({ folder, rule })) }))
      : [];
  const scopes = [...placed, ...kinds.map((rules) => ({ rules }))];
  return scopes.length < 2 ? undefined : scopes.map((scope, at) => ({ id: String(at + 1), ...scope }));
}

/** The rules that an answer to an approval leaves behind. */
export function rulesOf(
  { patterns, scopes = [] }: Pick<ApprovalRequest, "patterns" | "scopes">,
  scope: string | undefined,
): readonly string[] {
  return scopes.find(({ id }) => id === scope)?.rules ?? patterns;
}

/** Binds an approval to the exact call: SHA-256 over name and canonical arguments. */
export function callHash({ name, input }: ToolCall): string {
  return createHash("sha256").update(canonicalJson({ name, input })).digest("hex");
}
