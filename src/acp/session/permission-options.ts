import type { ApprovalRequest } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { ClientCapabilities } from "./client-capabilities.ts";
import type { PermissionAnswer } from "./client-peer.ts";

type Choice = ApprovalRequest["choices"][number];

/** An option as both versions write it. */
export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once";
}

/** What a client answered. What was never offered is no permission. */
export function permissionAnswer(answer: unknown, request: ApprovalRequest): PermissionAnswer {
  const outcome = isJsonObject(answer) ? answer["outcome"] : undefined;
  if (!isJsonObject(outcome)) return undefined;
  if (outcome["outcome"] === "cancelled") return "cancelled";
  if (outcome["outcome"] !== "selected") return undefined;
  return request.choices.find((choice) => choice === outcome["optionId"]);
}

/** What a person can say to a permission request. */
export function permissionOptions(
  { choices, patterns }: ApprovalRequest,
  { manyOptions }: ClientCapabilities,
): PermissionOption[] {
  const scope = scopeOf(patterns);
  const words: Readonly<Record<Choice, Omit<PermissionOption, "optionId">>> = {
    once: { name: "Allow once", kind: "allow_once" },
    session: { name: `Always allow ${scope} in this session`, kind: "allow_always" },
    always: { name: `Always allow ${scope}, in every session`, kind: "allow_always" },
    deny: { name: "Reject", kind: "reject_once" },
  };
  // Some clients key options by their kind: of two that are alike they would show one.
  return choices
    .filter((choice) => choice !== "always" || manyOptions || !choices.includes("session"))
    .map((choice) => ({ optionId: choice, ...words[choice] }));
}

const LONGEST_SCOPE = 60;

function scopeOf(patterns: readonly string[]): string {
  const all = patterns.map((pattern) => `\`${pattern}\``).join(", ");
  return all.length <= LONGEST_SCOPE
    ? all
    : `\`${(patterns[0] ?? "").slice(0, LONGEST_SCOPE)}\` and the like`;
}
